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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._ludolog import Error
from ._ludolog import Session as Native

__all__ = ["Answers", "Explanation", "Session"]

#: Rows that a notebook shows.
SHOWN = 20


class Answers:
    """The answers to a goal: a row for each, sorted, a column for each variable."""

    def __init__(self, variables: list[str], rows: list[list[int | str]]) -> None:
        self.variables = variables
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        """Whether there are any: of a goal without variables, whether it holds."""
        return bool(self.rows)

    def column(self, variable: str) -> list[int | str]:
        """The values of a variable."""
        if variable not in self.variables:
            raise Error(f"the goal has no variable {variable}; it has {', '.join(self.variables) or 'none'}")
        at = self.variables.index(variable)
        return [row[at] for row in self.rows]

    def to_numpy(self) -> NDArray[Any]:
        """The rows: integers, if all values are such, else objects."""
        table = np.array(self.rows, object).reshape(len(self.rows), len(self.variables))
        whole = all(isinstance(value, int) for row in self.rows for value in row)
        return table.astype(np.int64) if whole else table

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame({name: self.column(name) for name in self.variables})

    def to_arrow(self) -> Any:
        """A `pyarrow.Table`. A column with integers and texts has texts."""
        import pyarrow

        return pyarrow.table({name: self._plain(name) for name in self.variables})

    def to_polars(self) -> Any:
        """A `polars.DataFrame`. A column with integers and texts has texts."""
        import polars

        return polars.DataFrame({name: self._plain(name) for name in self.variables})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as a stream of Arrow's C interface: whatever takes such streams takes answers. Needs pyarrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _plain(self, variable: str) -> list[Any]:
        """The values of a variable, all of one type."""
        column: list[Any] = self.column(variable)
        is_mixed = len({type(value) for value in column}) > 1
        return [str(value) for value in column] if is_mixed else column

    def __repr__(self) -> str:
        return f"<{len(self.rows)} answers for {', '.join(self.variables) or 'yes or no'}>"

    def _repr_html_(self) -> str:
        def line(tag: str, values: list[Any]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(str(value))}</{tag}>" for value in values) + "</tr>"

        more = f"<p>and {len(self.rows) - SHOWN} more</p>" if len(self.rows) > SHOWN else ""
        shown = "".join(line("td", row) for row in self.rows[:SHOWN])
        return f"<table><thead>{line('th', self.variables)}</thead><tbody>{shown}</tbody></table>{more}"


class Explanation(str):
    """A tree as text, which a notebook shows as it is."""

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self)}</pre>"


class Session(Native):
    """A program with facts that can be inserted and retracted, ready for queries."""

    def insert_rows(self, predicate: str, rows: Any) -> int:
        """Inserts facts; the number of those that were not given before. Rows are those of a list, a numpy array of two dimensions, a
        data frame (pandas, polars), an Arrow table, or whatever has Arrow's C interface; values are integers and texts. Raises `Error` for any other, and changes nothing
        then."""
        return self.change(predicate, _columns(rows), True)

    def retract_rows(self, predicate: str, rows: Any) -> int:
        """Retracts facts; the number of those that were given."""
        return self.change(predicate, _columns(rows), False)

    def query(self, goal: str, *, seconds: float | None = None) -> Answers:
        """The answers to a goal. Raises `Error` if the seconds do not suffice."""
        return Answers(*self.table(goal, seconds=seconds))

    def why(self, fact: str, *, seconds: float | None = None) -> Explanation | None:
        """Why a fact holds; `None` if it does not."""
        text = super().why(fact, seconds=seconds)
        return None if text is None else Explanation(text)

    def why_not(self, fact: str, *, seconds: float | None = None) -> Explanation | None:
        """Why a fact does not hold; `None` if it does."""
        text = super().why_not(fact, seconds=seconds)
        return None if text is None else Explanation(text)


def _columns(rows: Any) -> list[list[int | str]]:
    """The columns of rows of any kind."""
    if hasattr(rows, "to_pydict"):  # Arrow
        columns = list(rows.to_pydict().values())
    elif hasattr(rows, "to_dict") and hasattr(rows, "columns"):  # pandas and polars
        columns = [rows[name].to_list() for name in rows.columns]
    elif hasattr(rows, "__arrow_c_stream__"):
        import pyarrow

        columns = list(pyarrow.table(rows).to_pydict().values())
    elif isinstance(rows, np.ndarray):
        if rows.ndim != 2:
            raise Error(f"rows are an array of two dimensions, not {rows.ndim}")
        columns = [column.tolist() for column in rows.T]
    else:
        listed = [list(row) for row in rows]
        if any(len(row) != len(listed[0]) for row in listed):
            raise Error("the rows have different lengths")
        columns = [list(column) for column in zip(*listed)]
    for number, column in enumerate(columns):
        for row, value in enumerate(column):
            if isinstance(value, bool) or not isinstance(value, (int, str, np.integer)):
                raise Error(f"row {row}, column {number}: {value!r} is neither an integer nor a text")
            if not isinstance(value, str) and not -(2**63) <= value < 2**63:
                raise Error(f"row {row}, column {number}: {value} has more than 64 bits")
    return columns
