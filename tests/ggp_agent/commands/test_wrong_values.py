"""Wrong values of options: one plain line with the allowed range, and names that are near."""

from __future__ import annotations

import pytest

from ggp_agent.cli import main


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("serve --port 99999", "argument --port: '99999' is not a port: give a number from 0 to 65535, 0 for a free"),
        ("web --port abc", "argument --port: 'abc' is not a port: give a number from 0 to 65535"),
        ("web --port -1", "argument --port: '-1' is not a port"),
        ("serve --matches 0", "argument --matches: '0' is not a whole number above 0"),
        ("serve --margin x", "argument --margin: 'x' is not a number"),
        ("search connect_four --seed x", "argument --seed: 'x' is not a whole number"),
        ("arena connect_four --sprt a 10", "argument --sprt: 'a' is not a number"),
        ("play chess", "no game is called 'chess'; did you mean checkers?"),
        ("games go", "no game is called 'go'; did you mean fast:go_5x5 or fast:go_9x9 or fast:go_19x19?"),
        ("search connect_four --config explore=1", "did you mean selection.exploration?"),
    ],
)
def test_one_line_names_the_range_or_what_is_near(
    capsys: pytest.CaptureFixture[str], command: str, complaint: str
) -> None:
    assert main(command.split()) == 2
    err = capsys.readouterr().err
    assert complaint in err and err.count("\n") == 1
