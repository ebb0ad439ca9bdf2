"""The table of a study as LaTeX."""

from __future__ import annotations

import re

from ggp_agent.arena.scores import Score
from ggp_agent.experiments.study_file import Published, Study
from ggp_agent.experiments.table import TableEntry, latex_table

STUDY = Study.from_toml(
    'title = "50 % & more"\ngames = ["cannon"]\nsimulations = 10\nvariants.a_b = "seed=2"', "my_study"
)


def entry(wins: int, published: Published | None, column: str = "1 second") -> TableEntry:
    score = Score(wins, 0, 100 - wins)
    return TableEntry("Cannon", "a_b", column, score, published, 100, 100, 0, "", 70.0, None, limit="1,700 simulations")


def test_the_table_is_escaped_and_has_the_same_number_of_columns_in_each_row() -> None:
    text = latex_table(STUDY, [entry(80, Published(62.8, 1.3)), entry(52, None)])
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert len(rows) == 3 and {row.count(" & ") for row in rows} == {6}
    assert rows[1].startswith(r"Cannon & a\_b & 1,700 simulations & \textbf{80.0}$^\dagger$ & 71.1--86.7 & 100 & $62.8")
    assert rows[2].startswith(r" & a\_b & ") and r"\textbf" not in rows[2]
    assert r"\caption{50 \% \& more. " in text and r"\label{tab:my-study}" in text
    assert not re.search(r"(?<!\\)[%#_]", text.replace("tab:my-study", ""))
    assert text.count(r"\begin{") == text.count(r"\end{") == 2


def test_columns_with_another_name_keep_it() -> None:
    assert "with solver" in latex_table(STUDY, [entry(60, None, "with solver")])
