"""The configuration of a search: defaults, TOML, and one clear line for each error."""

from __future__ import annotations

import math
import subprocess
import sys
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
            policy="nst",
            epsilon=0.5,
            unknown=-1,
            decisive=True,
            ngram=3,
            threshold=9,
            decay=1,
            limit=50,
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
        ("[tree]\ntranspositions = 1", "tree.transpositions must be true or false, not 1"),
        (
            "[tree]\ntransposition = true",
            r"unknown key tree.transposition; known are transpositions, .*; did you mean transpositions\?",
        ),
        ("tree = true", r"tree must be a table: write \[tree\] and its keys below"),
        ("explore = 1", r"unknown key explore; known are .*; did you mean selection\.exploration\?"),
        ("[selection]\nc = 1", "unknown key selection.c; known are .*exploration.*"),
        ("[selection]\nexploration = -1", "selection.exploration must be finite and at least 0, not -1"),
        ("[selection]\nexploration = inf", "selection.exploration must be finite and at least 0, not inf"),
        ("[selection]\nexploration = nan", "selection.exploration must be finite and at least 0, not nan"),
        ("[selection]\nexploration = '1'", 'selection.exploration must be a number, finite and at least 0, not "1"'),
        (
            "[selection]\nformula = 'ucb2'",
            r'selection.formula must be uct, ucb1, ucb1-tuned or puct, not "ucb2"; did you mean ucb1\?',
        ),
        ("[selection]\nformula = 1", "selection.formula must be a string, not 1"),
        (
            "[selection.grave]\nreference = -1",
            r"selection.grave.reference must be 0 \.\. 1073741824, not -1",
        ),
        (
            "[selection.grave]\nreference = 0.5",
            r"selection.grave.reference must be a whole number 0 \.\. 1073741824, not 0\.5",
        ),
        ("[selection.grave]\nbias = 1.5", r"selection.grave.bias must be 0 \.\. 1, not 1\.5"),
        ("[selection.grave]\nenabled = 1", "selection.grave.enabled must be true or false, not 1"),
        ("[selection.grave]\nk = 1", "unknown key selection.grave.k; known are enabled, reference, bias"),
        ("[selection]\ngrave = true", r"selection.grave must be a table: write \[selection.grave\] and its keys below"),
        ("[reward.relative_bonus]\nk = -1", r"reward.relative_bonus.k must be 0 \.\. 1000, not -1"),
        ("[reward.relative_bonus]\na = 11.0", r"reward.relative_bonus.a must be 0 \.\. 10, not 11\.0"),
        ("[reward.relative_bonus]\nenabled = 1", "reward.relative_bonus.enabled must be true or false, not 1"),
        ("[reward.bonus]\nk = 1", "unknown key reward.bonus; known are source, .*"),
        ("[playout]\nlimit = true", r"playout.limit must be a whole number 1 \.\. 2147483648, not true"),
        ("[playout]\nlimit = 1.5", r"playout.limit must be a whole number 1 \.\. 2147483648, not 1\.5"),
        (
            "[playout]\npolicy = 'random'",
            "playout.policy must be uniform, mast, nst, game, game-light, game-mast, evaluation, bhrf or rank, "
            r'not "random"; did you mean rank\?',
        ),
        ("[selection.implicit_minimax]\nalpha = 1.5", r"selection.implicit_minimax.alpha must be 0 .. 1, not 1.5"),
        (
            "[evaluation]\nname = 'pieces'\nfile = 'my.weights'",
            "evaluation.name is pieces and evaluation.file is my.weights; a search has one evaluation, .*",
        ),
        ("[evaluation]\nfile = ''", 'evaluation.file must be a string that is not empty, not ""'),
        ("[evaluation]\nfile = 3", "evaluation.file must be a string, not 3"),
        ("[evaluation]\nname = 'Best one'", "evaluation.name must be a name of lowercase letters, .*, not .*"),
        ("[playout.early_termination]\nevery = 0", r"playout.early_termination.every must be 1 .. 2147483648, not 0"),
        ("[playout.forest]\nepsilon = 1.5", r"playout.forest.epsilon must be 0 .. 1, not 1.5"),
        ("[playout.forest]\nbias = -0.1", r"playout.forest.bias must be 0 .. 100, not -0.1"),
        ("[playout.forest]\nlongest = 0", r"playout.forest.longest must be 1 .. 1024, not 0"),
        ("[playout.forest]\ncontext = 'all'", 'playout.forest.context must be longest or each, not "all"'),
        (
            "[playout.forest]\nacceptance = 'x'",
            'playout.forest.acceptance must be u, mean or probability, not "x"',
        ),
        (
            "[playout.forest]\nfallback = 'mast'",
            'playout.forest.fallback must be uniform, game or game-light, not "mast"',
        ),
        ("[playout.forest]\nmemory_mb = 0", r"playout.forest.memory_mb must be 1 .. 1099511627776, not 0"),
        ("[playout.rank]\ndraw = 'greedy'", "unknown key playout.rank.draw; known are sharpness, prior, adaptation"),
        ("[playout.rank]\nsharpness = 1.0", r"playout.rank.sharpness must be 0.01 .. 0.99, not 1.0"),
        ("[playout.rank]\nprior = -1", r"playout.rank.prior must be 0 .. 1000, not -1"),
        ("[playout]\nepsilon = 1.1", r"playout.epsilon must be 0 \.\. 1, not 1\.1"),
        ("[playout]\nsampling = 'gibbs'", "unknown key playout.sampling; known are policy, epsilon, unknown, .*"),
        ("[reward]\nkeeps_covariance = true", "unknown key reward.keeps_covariance; known are source, .*"),
        ("[playout]\nunknown = -2", r"playout.unknown must be -1 \.\. 1, not -2"),
        ("[playout]\nngram = 4", r"playout.ngram must be 2 \.\. 3, not 4"),
        ("[playout]\nthreshold = 0", r"playout.threshold must be 1 \.\. 65535, not 0"),
        ("[playout]\ndecay = nan", r"playout.decay must be 0 \.\. 1, not nan"),
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


def test_the_configuration_needs_no_numpy() -> None:
    program = "import sys, ggp_agent.mcts.config; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_who_asks_for_the_version_or_help_loads_no_compiled_search(option: str) -> None:
    program = (
        "import atexit, sys; atexit.register(lambda: print('ggp_agent._search' in sys.modules)); "
        f"from ggp_agent.cli import main; main(['{option}'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split()[-1] == "False", done.stderr
