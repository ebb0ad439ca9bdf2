"""The configuration of a search: defaults, TOML, and one clear line for each error."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from ggp_agent.common.errors import UserError
from ggp_agent.mcts.config import GraveConfig, PlayoutConfig, SearchConfig, SelectionConfig


def test_every_value_survives_toml() -> None:
    config = SearchConfig(
        in_flight=3,
        threads=2,
        seed=9,
        memory_mb=7,
        selection=SelectionConfig(exploration=0.25, grave=GraveConfig(enabled=True, reference=0, bias=1e-7)),
        playout=PlayoutConfig(
            policy="nst", epsilon=0.5, unknown=-1, decisive=True, ngram=3, threshold=9, decay=1, limit=50
        ),
    )
    assert SearchConfig.from_toml(config.to_toml()) == config
    assert SearchConfig.from_toml("") == SearchConfig()
    assert "in_flight" not in SearchConfig().to_toml()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("in_flight = 0", r"in_flight must be 1 \.\. 512 or left out, not 0"),
        ("threads = 0", r"threads must be 1 \.\. 256 or left out, not 0"),
        ("in_flite = 1", r"unknown key in_flite; known are in_flight, threads, .*; did you mean in_flight\?"),
        ("[tree]\ntranspositions = 'no'", 'tree.transpositions must be true or false, not "no"'),
        (
            "[tree]\ntransposition = true",
            r"unknown key tree.transposition; known are transpositions, .*; did you mean transpositions\?",
        ),
        ("explore = 1", r"unknown key explore; known are .*; did you mean selection\.exploration\?"),
        ("[selection]\nc = 1", "unknown key selection.c; known are .*exploration.*"),
        ("[selection]\nexploration = -1", "selection.exploration must be finite and at least 0, not -1"),
        ("[selection]\nexploration = '1'", 'selection.exploration must be a number, finite and at least 0, not "1"'),
        (
            "[selection]\nformula = 'ucb2'",
            r'selection.formula must be uct, ucb1, ucb1-tuned.* or .*, not "ucb2"; did you mean ucb1\?',
        ),
        ("[selection]\nformula = 1", "selection.formula must be a string, not 1"),
        (
            "[selection.grave]\nreference = 0.5",
            r"selection.grave.reference must be a whole number 0 \.\. 1073741824, not 0\.5",
        ),
        ("[selection]\ngrave = true", r"selection.grave must be a table: write \[selection.grave\] and its keys below"),
        ("[playout]\nlimit = true", r"playout.limit must be a whole number 1 \.\. 2147483648, not true"),
        ("[playout]\nlimit = 1.5", r"playout.limit must be a whole number 1 \.\. 2147483648, not 1\.5"),
        (
            "[playout]\npolicy = 'random'",
            "playout.policy must be uniform, mast, nst, game, game-light, game-mast, evaluation, bhrf, rank or pool, "
            r'not "random"; did you mean rank\?',
        ),
        (
            "[evaluation]\nname = 'pieces'\nfile = 'my.weights'",
            "evaluation.name is pieces and evaluation.file is my.weights; a search has one evaluation, .*",
        ),
        ("[evaluation]\nfile = ''", 'evaluation.file must be a string that is not empty, not ""'),
        ("[evaluation]\nname = 'Best one'", "evaluation.name must be a name of lowercase letters, .*, not .*"),
        ("playout = 3", r"playout must be a table: write \[playout\] and its keys below"),
        ("[selection", "not TOML: .*"),
    ],
)
def test_wrong_text_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(UserError, match=f"^mine.toml: {message}$") as caught:
        SearchConfig.from_toml(text, source="mine.toml")
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    for name, reason in (("absent.toml", "no such file"), (".", "this is a folder"), ("binary.toml", "not UTF-8")):
        with pytest.raises(UserError, match=f"cannot read the configuration: .*{reason}"):
            SearchConfig.load(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("\n".join(["seed = [", *"[" * 5000]), "TOML.*"),
        ("\n".join(["seed = [", *["[" * 1000] * 5]), "TOML.*"),
        ("seed = " + "a." * 1000, "a line is longer than 1,024 characters"),
        ("seed = " + "1" * 5000, "a line is longer than 1,024 characters"),
        ("seed = 0x" + "f" * 1000, "not TOML: a whole number has more than 64 bits"),
        ("seed = 1979-02-30", "not TOML: Invalid date or datetime .*"),
        ("a = 1\n" * 25_000, "the TOML is too large; at most 128 kB are allowed"),
    ],
)
def test_malformed_text_is_refused_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "odd.toml").write_text(text)
    with pytest.raises(UserError, match=f"^{tmp_path}/odd.toml: .*{complaint}$"):
        SearchConfig.load(tmp_path / "odd.toml")


def test_special_files_are_not_read() -> None:
    with pytest.raises(UserError, match=r"^/dev/zero: cannot read the configuration: this is a special file$"):
        SearchConfig.load(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("kind", "values", "error", "message"),
    [
        (SelectionConfig, {"exploration": -1}, ValueError, "exploration must be finite and at least 0, not -1"),
        (SelectionConfig, {"exploration": math.inf}, ValueError, "exploration must be finite .*, not inf"),
        (SelectionConfig, {"exploration": "0.7"}, TypeError, 'exploration must be a number, finite .*, not "0.7"'),
        (PlayoutConfig, {"limit": True}, TypeError, r"limit must be a whole number 1 \.\. .*, not true"),
        (PlayoutConfig, {"limit": 0}, ValueError, r"limit must be 1 \.\. 2147483648, not 0"),
        (SearchConfig, {"playout": {}}, TypeError, r"playout must be a PlayoutConfig, not dict"),
    ],
)
def test_wrong_values_are_refused(kind: Any, values: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}$"):
        kind(**values)
