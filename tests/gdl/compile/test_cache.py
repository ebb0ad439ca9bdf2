"""The cache returns stored entries or nothing, and problems with files cause no errors."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from exploding_sheets import TERMS

from gdl import CompilerLimits, choose_machine, parse_sheet
from gdl.compile import cache as cache_module
from gdl.compile.cache import Attempt, Cache, CacheEntry, default_cache
from gdl.compile.compiler_process import Outcome
from kif_games import rules

TEXT = rules("tic_tac_toe")
LIMITS = CompilerLimits(seconds=2.5, memory_mb=300, max_rules=1000)
ENTRY = CacheEntry(
    "split", (Attempt("split", Outcome.NETWORK, "", 0.25, 30.5, LIMITS, 123, 45),), bytes(range(256)) * 9
)


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def test_written_entries_are_read(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "a" / "b")
    assert cache.read("key") is None
    cache.write("key", ENTRY)
    assert Cache(tmp_path / "a" / "b").read("key") == ENTRY
    assert cache.read("other") is None
    nothing = CacheEntry("", (Attempt("split", Outcome.SIZE, "too large", 9.0, 400.0, LIMITS),), b"")
    cache.write("key", nothing)
    assert cache.read("key") == nothing
    assert len(files(tmp_path / "a" / "b")) == 1


def test_a_game_is_compiled_once_for_all_spellings(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first = choose_machine(parse_sheet(TEXT), cache=cache)
    assert not first.cached
    again = choose_machine(parse_sheet(TEXT), cache=cache)
    assert again.cached and again.attempts == first.attempts and again.strategy == "split"
    renamed = parse_sheet(TEXT.replace("mark", "paint").replace("turn", "Turn_of") + " ; a copy")
    copy = choose_machine(renamed, cache=cache)
    assert copy.cached
    state = copy.machine.initial()
    assert copy.machine.legal(state, "x")[0].startswith("(paint ")
    assert any(fluent.startswith("(Turn_of ") for fluent in copy.machine.fluents(state))
    assert len(files(tmp_path)) == 1
    assert not choose_machine(parse_sheet(TEXT + " (init extra)"), cache=cache).cached


def test_moves_have_the_same_numbers_from_the_cache(tmp_path: Path) -> None:
    fresh, cached = (choose_machine(parse_sheet(TEXT), cache=Cache(tmp_path)).machine for _ in range(2))
    state = fresh.initial()
    assert cached.initial() == state
    assert cached.legal(state, "x") == fresh.legal(state, "x")
    assert cached.next(state, ["(mark 1 2)", "noop"]) == fresh.next(state, ["(mark 1 2)", "noop"])


def flip(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:40],
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content + b"x",
        lambda content: flip(content, 3),
        lambda content: flip(content, 100),
        lambda content: flip(content, len(content) - 5),
        lambda content: Random(1).randbytes(len(content)),
        lambda content: b"\n" * 300,
        lambda content: cache_module._digest(b"{}\n") + b"{}\n",
        lambda content: cache_module._digest(b"[]") + b"[]",
        lambda content: cache_module._pack(ENTRY, "another key"),
    ],
)
def test_a_damaged_entry_is_made_again(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    cache = Cache(tmp_path)
    choose_machine(parse_sheet(TEXT), cache=cache)
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert not choose_machine(parse_sheet(TEXT), cache=cache).cached
    assert choose_machine(parse_sheet(TEXT), cache=cache).cached


def forged(about: object) -> bytes:
    content = (about if isinstance(about, bytes) else json.dumps(about).encode()) + b"\nnetwork"
    return cache_module._digest(content) + content


ABOUT = {"key": "key", "strategy": "split", "attempts": [ENTRY.attempts[0].to_json()]}


def with_attempt(**changes: object) -> dict[str, object]:
    return {**ABOUT, "attempts": [{**ENTRY.attempts[0].to_json(), **changes}]}


@pytest.mark.parametrize(
    "about",
    [
        [],
        4,
        {},
        {**ABOUT, "more": 1},
        {**ABOUT, "strategy": ["split"]},
        {**ABOUT, "strategy": {}},
        {**ABOUT, "attempts": None},
        {**ABOUT, "attempts": 4},
        {**ABOUT, "attempts": {"a": 1}},
        {**ABOUT, "attempts": ["split"]},
        with_attempt(reason=None),
        with_attempt(strategy=[]),
        with_attempt(outcome=[]),
        with_attempt(outcome="won"),
        with_attempt(cpu_s="1"),
        with_attempt(cpu_s=float("nan")),
        with_attempt(peak_mb=-1),
        with_attempt(gates=1.5),
        with_attempt(gates=True),
        with_attempt(limits=None),
        with_attempt(limits={}),
        with_attempt(limits={"seconds": "1", "memory_mb": 1, "max_rules": 1}),
        with_attempt(more=1),
        b"[" * 90_000,
        b'{"a":' * 15_000,
        b"1" * 10_000,
        b"\xff\xfe{",
        b'{"key": "\xff"}',
        b" " * 200_000,
    ],
)
def test_a_forged_entry_is_ignored(tmp_path: Path, about: object) -> None:
    cache = Cache(tmp_path)
    path = cache.path("key")
    assert path is not None
    path.write_bytes(forged(ABOUT))
    assert cache.read("key") == CacheEntry("split", ENTRY.attempts, b"network")
    path.write_bytes(forged(about))
    assert cache.read("key") is None
    assert not path.exists()


@pytest.mark.parametrize("strategy", ["", "no strategy", "goals on demand"])
def test_an_entry_of_an_unknown_strategy_is_made_again(tmp_path: Path, strategy: str) -> None:
    cache = Cache(tmp_path)
    choose_machine(parse_sheet(TEXT), cache=cache)
    key = files(tmp_path)[0].name.partition("-")[0]
    cache.write(key, CacheEntry(strategy, ENTRY.attempts, b"GGPN" + bytes(range(256))))
    assert not choose_machine(parse_sheet(TEXT), cache=cache).cached
    assert choose_machine(parse_sheet(TEXT), cache=cache).cached


@pytest.mark.parametrize(
    "make",
    [
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to("/dev/tty"),
        lambda path: path.symlink_to(path),
        lambda path: path.symlink_to(path.with_name("whole")),
        lambda path: path.touch() or os.truncate(path, 1 << 40),
    ],
)
def test_only_regular_files_are_read(tmp_path: Path, make: Callable[[Path], object]) -> None:
    cache = Cache(tmp_path)
    choose_machine(parse_sheet(TEXT), cache=cache)
    (path,) = files(tmp_path)
    path.rename(tmp_path / "whole")
    make(path)
    assert not choose_machine(parse_sheet(TEXT), cache=cache).cached
    assert choose_machine(parse_sheet(TEXT), cache=cache).cached


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_a_folder_that_others_may_write_to_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int
) -> None:
    folder = tmp_path / "cache"
    choose_machine(parse_sheet(TEXT), cache=Cache(folder))
    (entry,) = files(folder)
    written = entry.stat().st_mtime_ns, entry.read_bytes()
    folder.chmod(mode)
    for _ in range(2):
        assert not choose_machine(parse_sheet(TEXT), cache=Cache(folder)).cached
    assert files(folder) == [entry] and (entry.stat().st_mtime_ns, entry.read_bytes()) == written
    (warning,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert f"cache {folder}" in warning and warning.endswith(f"chmod go-w {folder}")
    folder.chmod(mode & ~0o022)
    assert choose_machine(parse_sheet(TEXT), cache=Cache(folder)).cached


def test_a_folder_of_another_user_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose_machine(parse_sheet(TEXT), cache=Cache(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
        assert not choose_machine(parse_sheet(TEXT), cache=Cache(tmp_path)).cached
    (warning,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert f"the cache {tmp_path} belongs to another user" in warning and "GGP_AGENT_CACHE" in warning
    assert choose_machine(parse_sheet(TEXT), cache=Cache(tmp_path)).cached


def test_an_entry_with_a_network_of_another_version_is_made_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    choose_machine(parse_sheet(TEXT), cache=cache)
    (path,) = files(tmp_path)
    key = path.name.partition("-")[0]
    entry = cache.read(key)
    assert entry is not None
    network = entry.network[:4] + b"\xff\xff\xff\xff" + entry.network[8:]
    cache.write(key, CacheEntry(entry.strategy, entry.attempts, network))
    assert not choose_machine(parse_sheet(TEXT), cache=cache).cached
    assert choose_machine(parse_sheet(TEXT), cache=cache).cached


def test_entries_of_another_compiler_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    choose_machine(parse_sheet(TEXT), cache=cache)
    monkeypatch.setattr(cache_module, "COMPILER_VERSION", -7)
    assert not choose_machine(parse_sheet(TEXT), cache=cache).cached
    assert len(files(tmp_path)) == 2


def test_failures_are_stored_with_their_limits(tmp_path: Path) -> None:
    cache, sheet = Cache(tmp_path), parse_sheet(TERMS)
    low, high = CompilerLimits(max_rules=5_000), CompilerLimits(max_rules=6_000)
    first = choose_machine(sheet, limits=low, cache=cache)
    assert (first.machine.kind, first.cached) == ("reasoner", False)
    again = choose_machine(sheet, limits=low, cache=cache)
    assert (again.machine.kind, again.cached, again.attempts) == ("reasoner", True, first.attempts)
    assert not choose_machine(sheet, limits=high, cache=cache).cached
    assert choose_machine(sheet, limits=low, cache=cache).cached


def test_the_least_recently_used_entries_are_removed(tmp_path: Path) -> None:
    size = len(cache_module._pack(ENTRY, "a"))
    cache = Cache(tmp_path, max_bytes=3 * size + size // 2)
    (tmp_path / "mine.txt").write_text("x" * 10_000)
    (tmp_path / ".left over.network.x.part").write_text("x" * size)
    os.utime(tmp_path / ".left over.network.x.part", (1, 1))
    for age, key in enumerate("abc"):
        cache.write(key, ENTRY)
        path = cache.path(key)
        assert path is not None
        os.utime(path, (1000 + age, 1000 + age))
    assert cache.read("a") == ENTRY  # so `b` is the oldest now
    cache.write("d", ENTRY)
    assert [key for key in "abcd" if cache.read(key) is not None] == ["a", "c", "d"]
    assert {path.name for path in files(tmp_path)} >= {"mine.txt"}
    assert not (tmp_path / ".left over.network.x.part").exists()
    cache.write("e", CacheEntry("split", ENTRY.attempts, bytes(5 * size)))
    assert cache.read("e") is None and cache.read("a") == ENTRY


@pytest.mark.parametrize("place", ["file", "file/below", "/dev/null/below", "/proc/nowhere/at/all"])
def test_a_folder_that_cannot_be_used_is_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    (tmp_path / "file").write_text("mine")
    folder = tmp_path / place  # an absolute place stays what it is
    for _ in range(3):
        choice = choose_machine(parse_sheet("(role r) (legal r go) (init x)"), cache=Cache(folder))
        assert (choice.machine.kind, choice.cached) == ("network", False)
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(warnings) == 1 and str(folder) in warnings[0].getMessage()
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_in_place_of_an_entry_does_no_harm(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    choose_machine(parse_sheet(TEXT), cache=cache)
    (path,) = files(tmp_path)
    path.unlink()
    path.mkdir()
    for _ in range(2):
        assert choose_machine(parse_sheet(TEXT), cache=cache).machine.kind == "network"


PLAY = """
import resource, sys
from pathlib import Path
from gdl import choose_machine, parse_sheet
from gdl.compile.cache import Cache
from kif_games import rules
if sys.argv[2] != "-":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
for _ in range(3):
    for game in "tic_tac_toe", "lights_out":
        choice = choose_machine(parse_sheet(rules(game)), cache=Cache(Path(sys.argv[1])))
        assert choice.machine.legal(choice.machine.initial(), choice.machine.roles[0])
        if sys.argv[2] == "-":
            for entry in list(Path(sys.argv[1]).glob("*.network"))[:1]:
                entry.unlink(missing_ok=True)
print("played")
"""


def test_on_a_full_disk_play_continues(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAY, str(tmp_path), "100"], capture_output=True, text=True, check=False
    )
    assert done.stdout == "played\n"
    assert len(done.stderr.splitlines()) == 1 and "cannot be written" in done.stderr
    assert files(tmp_path) == []


def test_processes_share_a_folder(tmp_path: Path) -> None:
    players = [
        subprocess.Popen(
            [sys.executable, "-c", PLAY, str(tmp_path), "-"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        for _ in range(3)
    ]
    for player in players:
        assert player.communicate()[0] == b"played\n"
    assert not list(tmp_path.glob(".*.part"))
    for name in "tic_tac_toe", "lights_out":
        choose_machine(parse_sheet(rules(name)), cache=Cache(tmp_path))
        assert choose_machine(parse_sheet(rules(name)), cache=Cache(tmp_path)).cached


def test_the_default_folder_belongs_to_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def folder(**variables: str) -> str:
        for name in "GGP_AGENT_CACHE", "XDG_CACHE_HOME":
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        path = default_cache().path("key")
        return str(path.parent) if path is not None else "none"

    monkeypatch.setenv("HOME", str(tmp_path))
    assert folder() == f"{tmp_path}/.cache/ggp-agent"
    assert folder(XDG_CACHE_HOME="/var/cache") == "/var/cache/ggp-agent"
    assert folder(XDG_CACHE_HOME="relative") == f"{tmp_path}/.cache/ggp-agent"
    assert folder(XDG_CACHE_HOME="/var/cache", GGP_AGENT_CACHE="/elsewhere") == "/elsewhere"
    assert folder(GGP_AGENT_CACHE="") == f"{tmp_path}/.cache/ggp-agent"
    assert folder(GGP_AGENT_CACHE="off") == "none"
    monkeypatch.setenv("HOME", "nowhere")
    assert folder() == "none"


def test_without_a_cache_nothing_is_stored() -> None:
    cache = Cache(None)
    cache.write("key", ENTRY)
    assert cache.read("key") is None
    assert not any(choose_machine(parse_sheet(TEXT), cache=cache).cached for _ in range(2))
