"""Rows in and out, whatever holds them."""

import doctest
import gzip
import pickle
import sys
import warnings
import xml.etree.ElementTree as xml

import ludolog
import numpy as np
import pytest

RULES = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z)."


@pytest.fixture
def session():
    return ludolog.Session(text=RULES)


def test_doctests():
    for name in ("session", "explanation"):
        assert doctest.testmod(sys.modules[f"ludolog.{name}"]).failed == 0


def test_texts_include_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "rules.dl").write_text(":- include('facts.dl').\nallowed(X) :- user(X) & ~banned(X).")
    (tmp_path / "lib" / "facts.dl").write_text("banned(zed).")
    session = ludolog.Session(text=":- include('lib/rules.dl').\nuser(ann). user(zed).")
    assert session.query("allowed(X)").rows == [["ann"]]
    session = ludolog.Session(text=":- use('lib/facts.dl', banned = away).\nuser(X) :- away(X).")
    assert session.query("user(X)").rows == [["zed"]]
    # The cells beside the corner of a board of 3x3.
    board = ludolog.Session(text=":- include('std:lib/hex-board.dl').\ncolumns(3). rows(3).")
    board.insert_rows("cell", [(number,) for number in range(1, 10)])
    assert board.query("adjacent(1, Y)").rows == [[2], [4]]
    game = ludolog.Game(text='(include "std:games/tic-tac-toe.kif")')
    assert game.roles == ["cross", "nought"]


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("edge.csv", b"1,2\n2,3\n"),
        ("edge.tsv", b"1\t2\n2\t3\n"),
        ("edge.jsonl", b"[1, 2]\n[2, 3]\n"),
        ("edge.csv.gz", gzip.compress(b"1,2\n2,3\n")),
    ],
)
def test_programs_read_tables(tmp_path, monkeypatch, name, table):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(table)
    rules = f":- input(edge, '{name}').\n{RULES}"
    (tmp_path / "rules.dl").write_text(rules)
    for session in (ludolog.Session("rules.dl"), ludolog.Session(text=rules)):
        assert session.query("path(X, Y)").rows == [[1, 2], [1, 3], [2, 3]]
    (tmp_path / name).unlink()
    with pytest.raises(ludolog.Error, match=f"there is no file `{name}`"):
        ludolog.Session("rules.dl")


def test_a_text_of_a_missing_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ludolog.Error, match="there is no file `nowhere.dl`") as caught:
        ludolog.Session(text="user(ann).\n:- include('nowhere.dl').")
    assert caught.value.diagnostics[0]["line"] == 2


def test_lists_and_arrays(session):
    assert session.insert_rows("edge", [(1, 2), (2, 3), (1, 2)]) == 2
    assert session.insert_rows("edge", np.array([[3, 4], [4, 5]])) == 2
    assert session.query("path(1, X)").to_numpy().tolist() == [[2], [3], [4], [5]]
    assert session.query("path(1, X)").to_numpy().dtype == np.int64
    assert session.retract_rows("edge", [[2, 3]]) == 1
    assert session.query("path(1, X)").column("X") == [2]
    assert session.query("path(1, 2)") and not session.query("path(2, 1)")
    assert session.insert_rows("edge", []) == 0


def test_what_the_command_tells():
    """Undefined answers, broken constraints and odd programs: each was silence."""
    game = ludolog.Session(text="win(X) :- move(X, Y) & ~win(Y).\n:- move(X, X).")
    game.insert_rows("move", [("a", "b"), ("b", "a"), ("b", "c"), ("c", "d")])
    answers = game.query("win(X)")
    assert (answers.rows, answers.undefined.rows) == ([["c"]], [["a"], ["b"]])
    assert repr(answers) == "<1 answers, 2 undefined for X>"
    assert game.query("win(c)").undefined is None and not game.query("win(a)") and game.query("win(a)").undefined
    assert game.why("win(a)") is None and "neither true nor false" in game.why_not("win(a)")
    game.insert("move(e, e)")
    with pytest.warns(ludolog.AnswerWarning, match=r"text:2:1: error\[broken-constraint\].*X = e"):
        assert game.query("win(c)")
    game.retract("move(e, e)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert game.query("win(c)")
    with pytest.warns(ludolog.AnswerWarning, match="unknown-predicate"):
        ludolog.Session(text="far(X) :- edge(X, Y) & edeg(Y, Z). edge(1, 2).").query("far(X)")
    prices = ludolog.Session(text="cheap(X) :- price(X, P) & P < 3.0.")
    prices.insert_rows("price", [("bread", 2.5), ("milk", 2.0)])
    with pytest.warns(ludolog.AnswerWarning, match=r"goal:1:1: warning\[mixed-numbers\].*write `2.0`"):
        assert not prices.query("price(X, 2)")
    prices.insert("price(egg, 2)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert prices.query("price(X, 2)").rows == [["egg"]]


def test_a_chain_of_a_thousand(session):
    edges = np.stack([np.arange(1000), np.arange(1, 1001)], 1)
    assert session.insert_rows("edge", edges) == 1000
    assert len(session.query("path(X, Y)")) == 1000 * 1001 // 2


def test_pandas_and_arrow(session):
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    assert session.insert_rows("edge", pandas.DataFrame({"from": ["a", "b"], "to": ["b", "it's c"]})) == 2
    frame = session.query("path(a, X)").to_pandas()
    assert list(frame.columns) == ["X"] and frame["X"].tolist() == ["b", "it's c"]
    assert session.insert_rows("edge", pyarrow.table({"from": ["it's c"], "to": ["d"]})) == 1
    assert session.query("path(X, d)").to_arrow().to_pydict() == {"X": ["a", "b", "it's c"]}


class Stream:
    """An object that has Arrow's C interface, and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_streams_of_arrow(session):
    pyarrow = pytest.importorskip("pyarrow")
    assert session.insert_rows("edge", Stream(pyarrow.table({"from": ["a", "b"], "to": ["b", "c"]}))) == 2
    assert pyarrow.table(session.query("path(a, X)")).to_pydict() == {"X": ["b", "c"]}
    with pytest.raises(ludolog.Error, match="row 1, column 1: None is neither"):
        session.insert_rows("edge", Stream(pyarrow.table({"from": [1, 2], "to": [1.5, None]})))


def test_polars(session):
    polars = pytest.importorskip("polars")
    assert session.insert_rows("edge", polars.DataFrame({"from": ["a", "b"], "to": ["b", "c"]})) == 2
    assert session.insert_rows("edge", [("c", 7)]) == 1
    assert session.query("path(b, X)").to_polars()["X"].to_list() == ["7", "c"]
    pytest.importorskip("pyarrow")
    assert polars.DataFrame(session.query("path(X, b)")).to_dict(as_series=False) == {"X": ["a"]}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([(1, float("inf"))], "row 0, column 1: inf is neither"),
        ([(1, 2), (1, None)], "row 1, column 1: None is neither"),
        ([(1, 2), (1,)], "different lengths"),
        ([(True, 1)], "True is neither"),
        ([(2**63, 1)], "more than 64 bits"),
        (np.array([[1.0, np.nan]]), "is neither"),
        (np.arange(3), "two dimensions"),
    ],
)
def test_bad_rows_change_nothing(session, rows, told):
    session.insert_rows("edge", [(1, 2)])
    with pytest.raises(ludolog.Error, match=told):
        session.insert_rows("edge", rows)
    assert session.query("edge(X, Y)").rows == [[1, 2]]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["Rome", "Bern"], r"row 0 is 'Rome', and no list or tuple of values; of one column .*\(x,\) for x"),
        ("ab", "rows are a list, an array or a table, not 'ab'"),
        ([b"ab"], "row 0 is b'ab'"),
        ([{"a": 1, "b": 2}], "row 0 is {'a': 1"),
        ([1, 2], "row 0 is 1"),
        (None, "not None"),
        ([()], "no columns"),
        ({"a": 5}, "column 'a' is 5"),
        ({"a": "xy", "b": "zw"}, "column 'a' is 'xy'"),
        ([("\ud800", 1)], "half of a character"),
        (np.ma.masked_array([[1, 2], [3, 4]], [[0, 1], [0, 0]]), "masked"),
        (np.array([["2020-01-01", "2020-01-02"]], "M8[ns]"), "dates, times or durations"),
        (np.array([[5, 6]], "m8[ns]"), "dates, times or durations"),
    ],
)
def test_what_is_no_rows_is_refused(session, rows, told):
    with pytest.raises(ludolog.Error, match=told):
        session.insert_rows("edge", rows)
    assert not session.query("edge(X, Y)")


def test_rows_of_other_libraries_that_are_none(session):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    for rows in (
        pandas.Series([1, 2]),
        pandas.Index(["ab", "cd"]),
        polars.Series("x", [1]),
        polars.DataFrame({"a": [1], "b": [2]}).lazy(),
        pyarrow.array([1, 2]),
        pyarrow.chunked_array([[1, 2]]),
        pyarrow.array([{"a": 1, "b": 2}]),
    ):
        with pytest.raises(ludolog.Error):
            session.insert_rows("edge", rows)
    assert not session.query("edge(X, Y)")


def test_columns_may_be_a_dictionary_or_have_one_name(session):
    assert session.insert_rows("edge", {"from": [1, 2], "to": np.array([2, 3])}) == 2
    assert session.query("path(1, X)").rows == [[2], [3]]
    assert session.insert_rows("edge", {}) == 0
    assert session.insert_rows("edge", np.array([(7, "x")], [("from", "i8"), ("to", "U1")])) == 1
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert session.insert_rows("edge", pandas.DataFrame([[3, 4]], columns=["a", "a"])) == 1
    wide = polars.DataFrame({"a": polars.Series([4], dtype=polars.Int128), "b": [5]})
    assert session.insert_rows("edge", wide) == 1
    assert session.query("edge(X, 5)").rows == [[4]]


def test_numbers_of_columns_are_those_of_the_program(session):
    for rows in ([(1, 2, 3)], np.array([[1]])):
        with pytest.raises(ludolog.Error, match="`edge` has 2 arguments in the program"):
            session.insert_rows("edge", rows)
    with pytest.raises(ludolog.Error, match="arity-mismatch"):
        session.insert("edge(1)")
    declared = ludolog.Session(text=":- type(p, integer).")
    with pytest.raises(ludolog.Error, match="`p` has 1 argument in the program, and 2 arguments here"):
        declared.insert_rows("p", [(1, 2)])
    # Without rules, all that is inserted may be asked for.
    assert ludolog.Session(text="").insert_rows("p", [(1, 2)]) == 1


def test_facts_that_nothing_reads_are_told(session):
    session.insert_rows("edges", [(1, 2)])
    with pytest.warns(ludolog.AnswerWarning, match=r"nothing reads `edges/2`, which got facts.*did you mean `edge`"):
        assert not session.query("path(X, Y)")
    session.retract_rows("edges", [(1, 2)])
    session.insert_rows("other", [(1, 2)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert session.query("other(X, Y)"), "a goal reads it"


def test_values_of_several_types_are_kept():
    session = ludolog.Session(text="")
    session.insert_rows("p", [(2**63 - 1,), (1.5,)])
    answers = session.query("p(X)")
    pandas = pytest.importorskip("pandas")
    assert sorted(answers.to_pandas()["X"].tolist()) == [1.5, 2**63 - 1]
    assert isinstance(answers.to_pandas(), pandas.DataFrame)


def test_paths_are_texts_or_objects(tmp_path):
    rules = tmp_path / "rules.dl"
    rules.write_text("p(1).")
    assert ludolog.Session(rules).query("p(X)").rows == [[1]]


def test_notebooks(session):
    session.insert_rows("edge", [(number, "<b>") for number in range(30)])
    shown = session.query("edge(X, Y)")._repr_html_()
    assert "&lt;b&gt;" in shown and "and 10 more" in shown
    assert session.why("edge(1, '<b>')")._repr_html_().startswith("<pre>edge(1, &#x27;&lt;b&gt;")
    assert session.why("path(x, y)") is None
    with pytest.raises(ludolog.Error, match="no variable Z"):
        session.query("edge(X, Y)").column("Z")


def test_seconds_are_kept(session):
    session.insert_rows("edge", [(number, (7 * number + 1) % 5000) for number in range(5000)])
    session.insert_rows("edge", [(number, (11 * number + 3) % 5000) for number in range(5000)])
    with pytest.raises(ludolog.Error):
        session.query("path(X, Y)", seconds=0.05)
    assert session.query("edge(0, X)").rows == [[1], [3]]


def test_columns_are_numpy_where_they_are_integers(session):
    edges = np.array([[5, 6], [6, 7]])
    assert session.insert_rows("edge", edges) == 2
    answers = session.query("path(X, Y)")
    assert all(isinstance(column, np.ndarray) and column.dtype == np.int64 for column in answers.columns)
    assert answers.rows == [[5, 6], [5, 7], [6, 7]] and answers.to_numpy().tolist() == answers.rows
    assert all(type(value) is int for row in answers.rows for value in row)
    for kind in (np.int8, np.uint32, ">i8"):
        assert session.insert_rows("edge", edges.astype(kind)) == 0
        assert session.insert_rows("edge", np.asfortranarray(edges).astype(kind)[::-1]) == 0
    assert session.insert_rows("edge", [(7, "end")]) == 1
    mixed, whole = session.query("path(X, Y)").columns[::-1]
    assert isinstance(mixed, list) and mixed[:2] == [6, 7] and "end" in mixed and isinstance(whole, np.ndarray)


@pytest.mark.parametrize("value", [-(2**63), 2**63 - 1, -1, 0])
def test_integers_come_back_as_they_went_in(session, value):
    assert session.insert_rows("edge", np.array([[value, value]])) == 1
    assert session.query("edge(X, Y)").to_numpy().tolist() == [[value, value]]
    assert session.insert_rows("edge", [(value, value)]) == 0


def test_integers_of_other_libraries(session):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"from": [1, 2], "to": [2, 3]}
    whole = [pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)]
    nullable = pandas.DataFrame(columns).astype("Int64")
    for rows in (*whole, nullable, Stream(pyarrow.table(columns))):
        assert session.insert_rows("edge", rows) == 2 and session.query("path(1, 3)")
        assert session.retract_rows("edge", rows) == 2 and not session.query("edge(X, Y)")
    assert pyarrow.table(session.query("edge(X, Y)")).num_rows == 0
    with pytest.raises(ludolog.Error, match="64 bits"):
        session.insert_rows("edge", polars.DataFrame(columns, schema={"from": polars.UInt64, "to": polars.UInt64}) + 2**63)


def test_a_plan_is_told_as_the_command_tells_it(session):
    session.insert_rows("edge", [("a", "b"), ("b", "c")])
    plan = session.plan("path(a, X)")
    assert isinstance(plan, ludolog.Plan) and "how it runs\n" in plan and plan.endswith("at most\n")
    # The goal has its first column bound, so that facts are looked up by it.
    assert "look-up" in plan or "scan" in plan
    assert "".join(text for _, text in plan.pieces) == plan
    assert ("title", "how it runs") in plan.pieces
    assert session.plan() != plan, "all predicates"
    with pytest.raises(ludolog.Error) as caught:
        session.plan("path(a")
    assert caught.value.diagnostics
    assert pickle.loads(pickle.dumps(plan)).pieces == plan.pieces


def test_explanations_draw_themselves(session):
    session.insert_rows("edge", [("a", "b"), ("b", "<c> & d")])
    drawn = [
        session.why("path(a, '<c> & d')"),
        session.why_not("path(b, a)"),
        session.plan("path(a, X)"),
    ]
    for text in drawn:
        lines = text.splitlines()
        assert [level for level, _ in text.lines][0] == 0 and len(text.lines) == len(lines)
        root = xml.fromstring(text._repr_svg_())
        space = "{http://www.w3.org/2000/svg}"
        shown = ["".join(line.itertext()) for line in root.iter(f"{space}text")]
        # Branches are drawn, the rest is written.
        assert [line.strip("├─└│ ") for line in lines] == [line.strip() for line in shown]
        branches = sum(level > 0 for level, _ in text.lines)
        assert len(list(root.iter(f"{space}path"))) == branches
        pre = xml.fromstring(text._repr_html_())
        assert "".join(pre.itertext()).splitlines() == lines
    assert [level for level, _ in drawn[0].lines] == [0, 1, 2, 1]
    assert pickle.loads(pickle.dumps(drawn[0])) == drawn[0]
