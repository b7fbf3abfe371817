"""Datalog over a data frame: which courses does one have to pass before another, can a plan work, and why.

    python crates/python/examples/why_in_a_table.py

Needs pandas.
"""

from __future__ import annotations

import ludolog
import pandas as pd

RULES = """
    needs(Course, Before) :- requires(Course, Before).
    needs(Course, Before) :- requires(Course, Between) & needs(Between, Before).

    % A plan is wrong where a course does not come after all that it needs.
    wrong(Course, Before) :- term(Course, T) & needs(Course, Before) & term(Before, B) & B >= T.
    wrong(Course, Before) :- term(Course, T) & needs(Course, Before) & ~planned(Before).
    planned(Course) :- term(Course, T).

    % Courses that need nothing else.
    first(Course) :- planned(Course) & ~dependent(Course).
    dependent(Course) :- requires(Course, Before).
"""

REQUIRES = pd.DataFrame(
    [
        ("learning", "statistics"),
        ("learning", "algorithms"),
        ("statistics", "analysis"),
        ("algorithms", "programming"),
        ("robotics", "learning"),
    ],
    columns=["course", "before"],
)

PLAN = pd.DataFrame(
    {
        "course": ["programming", "analysis", "algorithms", "learning", "statistics", "robotics"],
        "term": [1, 1, 2, 3, 4, 4],
    }
)


def session(requires: pd.DataFrame, plan: pd.DataFrame) -> ludolog.Session:
    """The rules with the rows of both tables as facts."""
    session = ludolog.Session(text=RULES)
    session.insert_rows("requires", requires)
    session.insert_rows("term", plan)
    return session


def main() -> None:
    plan = session(REQUIRES, PLAN)
    print(plan.query("needs(learning, Before)").to_pandas(), "\n")
    print(plan.query("wrong(Course, Before)").to_pandas(), "\n")
    print("Why is robotics not possible before analysis?", plan.why("needs(robotics, analysis)"), sep="\n")
    print("Why is the plan wrong?", plan.why("wrong(learning, statistics)"), sep="\n")

    # A row changes, and the answers with it.
    plan.retract_rows("term", [("statistics", 4), ("learning", 3), ("robotics", 4)])
    plan.insert_rows("term", [("statistics", 2), ("learning", 3), ("robotics", 4)])
    print("Statistics in the second term:", len(plan.query("wrong(Course, Before)")), "mistakes")
    print(plan.why_not("wrong(learning, statistics)"))


if __name__ == "__main__":
    main()
