"""Queries over rows: lists, numpy, pandas, polars, Arrow.

>>> session = Session(text="path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).")
>>> session.insert_rows("edge", [("a", "b"), ("b", 3)])
2
>>> session.query("path(a, X)").rows
[[3], ['b']]
>>> print(session.why("path(a, 3)"))
path(a, 3)    text:1
├─ path(a, b)    text:1
│  └─ edge(a, b)
└─ edge(b, 3)
<BLANKLINE>
"""

from __future__ import annotations

import html
import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from ._ludolog import Error
from ._ludolog import Session as Native
from .explanation import Explanation, Plan

if TYPE_CHECKING:
    from ._ludolog import Rows

__all__ = ["AnswerWarning", "Answers", "Session"]

#: Rows that a notebook shows.
SHOWN = 20

#: The types of columns whose values are integers of 64 bits for certain, as they begin.
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")

#: The way out for who has the values of one column in place of rows.
ONE_COLUMN = "; of one column they are `[(x,) for x in values]`"


#: A column of rows: integers of 64 bits, or values one by one.
Column = Union[NDArray[np.int64], list[Union[int, float, str]]]


class AnswerWarning(UserWarning):
    """What concerns answers: something odd about a program, or a constraint that its facts break."""


class Answers:
    """The answers to a goal: a row for each, sorted, a column for each variable. Columns of integers are numpy's.

    A compound is the text that rules would have for it, which a symbol may be, too: `f(a)` and `'f(a)'` are one text. A goal without
    variables has no columns; `bool` says whether it holds.
    """

    #: The undefined answers, neither true nor false; `None` if there are none, or if these are the undefined ones.
    undefined: Answers | None

    def __init__(self, variables: list[str], columns: list[Column], count: int, undefined: Answers | None = None) -> None:
        self.variables = variables
        self.columns = columns
        self.undefined = undefined
        self._count = count

    @cached_property
    def rows(self) -> list[list[int | float | str]]:
        """The rows, a list each."""
        if not self.columns:
            return [[] for _ in range(self._count)]
        return [list(row) for row in zip(*(_listed(column) for column in self.columns))]

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        """Whether there are any: of a goal without variables, whether it holds."""
        return self._count > 0

    def column(self, variable: str) -> list[int | float | str]:
        """The values of a variable."""
        return _listed(self._column(variable))

    def _column(self, variable: str) -> Column:
        if variable not in self.variables:
            raise Error(f"the goal has no variable {variable}; it has {', '.join(self.variables) or 'none'}")
        return self.columns[self.variables.index(variable)]

    def to_numpy(self) -> NDArray[Any]:
        """The rows: integers, if all values are such, else objects."""
        if self.columns and all(isinstance(column, np.ndarray) for column in self.columns):
            return np.stack(self.columns, 1)
        return np.array(self.rows, object).reshape(self._count, len(self.variables))

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`. A column with values of several types has them as objects."""
        import pandas

        def series(column: Column) -> Any:
            # Of integers and floats in one column, pandas would make floats.
            is_mixed = isinstance(column, list) and len({type(value) for value in column}) > 1
            return pandas.Series(column, dtype=object) if is_mixed else column

        return pandas.DataFrame({name: series(column) for name, column in zip(self.variables, self.columns)})

    def to_arrow(self) -> Any:
        """A `pyarrow.Table`. A column with values of several types has texts."""
        import pyarrow

        return pyarrow.table({name: self._plain(name) for name in self.variables})

    def to_polars(self) -> Any:
        """A `polars.DataFrame`. A column with values of several types has texts."""
        import polars

        return polars.DataFrame({name: self._plain(name) for name in self.variables})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as a stream of Arrow's C interface: whatever takes such streams takes answers. Needs pyarrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _plain(self, variable: str) -> Column:
        """The values of a variable, all of one type."""
        column = self._column(variable)
        if isinstance(column, np.ndarray):
            return column
        is_mixed = len({type(value) for value in column}) > 1
        return [str(value) for value in column] if is_mixed else column

    def __repr__(self) -> str:
        undefined = f", {len(self.undefined)} undefined" if self.undefined else ""
        return f"<{self._count} answers{undefined} for {', '.join(self.variables) or 'yes or no'}>"

    def _repr_html_(self) -> str:
        def line(tag: str, values: list[Any]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(str(value))}</{tag}>" for value in values) + "</tr>"

        more = f"<p>and {self._count - SHOWN} more</p>" if self._count > SHOWN else ""
        shown = "".join(line("td", row) for row in self.rows[:SHOWN])
        return f"<table><thead>{line('th', self.variables)}</thead><tbody>{shown}</tbody></table>{more}"


class Session(Native):
    """A program with facts that can be inserted and retracted, ready for queries. Files that a text includes or uses are found from the
    working directory."""

    def insert_rows(self, predicate: str, rows: Any) -> int:
        """Inserts facts; the number of those that were not given before. Rows are those of a list, a numpy array of two dimensions, a
        dictionary of columns, a data frame (pandas, polars), an Arrow table, or whatever has Arrow's C interface; values are integers,
        finite floats and texts. Raises `Error` for any other, and for another number of columns than the program has for the predicate,
        and changes nothing then."""
        return self.change(predicate, _columns(rows), True)

    def retract_rows(self, predicate: str, rows: Any) -> int:
        """Retracts facts; the number of those that were given."""
        return self.change(predicate, _columns(rows), False)

    def query(self, goal: str, *, seconds: float | None = None) -> Answers:
        """The answers to a goal. Raises `Error` if the seconds do not suffice. Warns, by `AnswerWarning`, of what is odd about the program
        and the goal, and of constraints that its facts break."""
        names, given, possible, concerns = self.table(goal, seconds=seconds)
        for concern in concerns:
            warnings.warn(concern, AnswerWarning, stacklevel=2)
        undefined = _answers(names, possible) if possible is not None and possible[0] else None
        return _answers(names, given, undefined)

    def why(self, fact: str, *, seconds: float | None = None) -> Explanation | None:
        """Why a fact holds; `None` if it does not."""
        text = super().why(fact, seconds=seconds)
        return None if text is None else Explanation(text)

    def why_not(self, fact: str, *, seconds: float | None = None) -> Explanation | None:
        """Why a fact does not hold, or the cycle that an undefined one depends on; `None` if it holds."""
        text = super().why_not(fact, seconds=seconds)
        return None if text is None else Explanation(text)

    def plan(self, goal: str | None = None, *, seconds: float | None = None) -> Plan:
        """How the program is run for a goal: by default for its first query, or for all predicates. It does not run."""
        return Plan(super().pieces(goal, seconds=seconds))


def _answers(names: list[str], given: Rows, undefined: Answers | None = None) -> Answers:
    count, columns = given
    listed: list[Column] = [column if isinstance(column, list) else np.frombuffer(column, np.int64) for column in columns]
    return Answers(names, listed, count, undefined)


def _listed(column: Column) -> list[int | float | str]:
    listed: list[int | float | str] = column.tolist() if isinstance(column, np.ndarray) else column
    return listed


def _columns(rows: Any) -> list[bytes | list[int | float | str]]:
    """The columns of rows of any kind: integers of 64 bits as bytes, others value by value."""
    if hasattr(rows, "collect_schema") and hasattr(rows, "collect"):
        raise Error("rows of a lazy frame are not there yet: `collect()` them")
    if hasattr(rows, "to_pydict"):  # Arrow
        given = [rows.column(number) for number in range(rows.num_columns)]
    elif hasattr(rows, "to_dict") and hasattr(rows, "columns"):  # pandas and polars
        # By place, as two columns may have one name.
        given = [_series(rows, number) for number in range(rows.shape[1])]
    elif isinstance(rows, Mapping):
        given = _named(rows)
    elif hasattr(rows, "__arrow_c_stream__") and not hasattr(rows, "to_list"):
        given = _streamed(rows)
    elif isinstance(rows, np.ndarray) and rows.dtype.names and rows.ndim == 1:
        given = [rows[name] for name in rows.dtype.names]
    elif isinstance(rows, np.ndarray):
        if rows.ndim != 2:
            raise Error(f"rows are an array of two dimensions, not {rows.ndim}{ONE_COLUMN}")
        if np.ma.is_masked(rows):
            raise Error("rows have values that are masked: leave them out, as by `rows[~rows.mask.any(1)]`")
        given = list(rows.T)
    else:
        return _transposed(rows)
    if not given and getattr(rows, "__len__", int)():
        raise Error("the rows have no columns; a predicate without arguments is inserted by `insert`")
    return [_integers(column) or _checked(_values(column, number), number) for number, column in enumerate(given)]


def _series(frame: Any, number: int) -> Any:
    """The column of this number of a data frame of pandas or polars."""
    if hasattr(frame, "iloc"):
        return frame.iloc[:, number]
    return frame.to_series(number) if hasattr(frame, "to_series") else frame[frame.columns[number]]


def _named(columns: Mapping[Any, Any]) -> list[Any]:
    """The columns of a dictionary of them."""
    for name, column in columns.items():
        if isinstance(column, (str, bytes, Mapping)) or not hasattr(column, "__iter__"):
            raise Error(f"column {name!r} is {column!r}, and no list of values; rows are a list: `[(…), (…)]`")
    return [column if hasattr(column, "dtype") else list(column) for column in columns.values()]


def _streamed(rows: Any) -> list[Any]:
    """The columns of a stream of Arrow's C interface."""
    import pyarrow

    try:
        table = pyarrow.table(rows)
    except (pyarrow.ArrowException, TypeError) as wrong:
        raise Error(f"no rows can be read from {type(rows).__name__}: {wrong}") from wrong
    return [table.column(number) for number in range(table.num_columns)]


def _transposed(rows: Any) -> list[bytes | list[int | float | str]]:
    """The columns of rows one by one."""
    if isinstance(rows, (str, bytes)) or not hasattr(rows, "__iter__"):
        raise Error(f"rows are a list, an array or a table, not {rows!r:.80}")
    listed = []
    for number, row in enumerate(rows):
        if isinstance(row, (str, bytes, Mapping)) or not hasattr(row, "__iter__"):
            raise Error(f"row {number} is {row!r:.80}, and no list or tuple of values{ONE_COLUMN}")
        listed.append(list(row))
    if any(len(row) != len(listed[0]) for row in listed):
        raise Error("the rows have different lengths")
    if listed and not listed[0]:
        raise Error("the rows have no columns; a predicate without arguments is inserted by `insert`")
    return [_checked(list(column), number) for number, column in enumerate(zip(*listed))]


def _integers(column: Any) -> bytes | None:
    """The bytes of a column that has a type of integers and no gaps."""
    if not str(getattr(column, "dtype", getattr(column, "type", ""))).lower().startswith(INTEGERS):
        return None
    array = np.asarray(column)
    is_whole = np.issubdtype(array.dtype, np.integer)
    return np.ascontiguousarray(array, np.int64).tobytes() if is_whole else None


def _values(column: Any, number: int) -> list[Any]:
    """The values of a column."""
    if isinstance(column, list):
        return column
    if getattr(getattr(column, "dtype", None), "kind", "") in ("m", "M"):
        # Of nanoseconds they would come as integers.
        raise Error(f"column {number} has dates, times or durations: write them as texts, as by `astype(str)`")
    if np.ma.is_masked(column):
        raise Error(f"column {number} has values that are masked")
    values: list[Any] = (getattr(column, "to_pylist", None) or getattr(column, "to_list", None) or column.tolist)()
    return values


def _checked(column: list[Any], number: int) -> list[int | float | str]:
    """The values, if they are integers, finite floats and texts."""
    for row, value in enumerate(column):
        is_float = isinstance(value, (float, np.floating))
        if isinstance(value, bool) or not (isinstance(value, (int, str, np.integer)) or is_float and np.isfinite(value)):
            raise Error(f"row {row}, column {number}: {value!r} is neither a finite number nor a text")
        if isinstance(value, str) and not _is_text(value):
            raise Error(f"row {row}, column {number}: {value!r} has half of a character, which is no text")
        if not isinstance(value, str) and not is_float and not -(2**63) <= value < 2**63:
            raise Error(f"row {row}, column {number}: {value} has more than 64 bits")
    return column


def _is_text(value: str) -> bool:
    """Whether a string has no surrogates, which stand for no character."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
