"""Games by URL: rule sheets and games of repositories, from real servers on loopback."""

from __future__ import annotations

import functools
import http.server
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback_site import Page, Site
from places import ROOT
from small_games import NIM

from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.game import repository as game_repository
from ggp_agent.game.load import load_game
from ggp_agent.game.repository_index import list_repository
from ggp_agent.manager.tournament.plan import read_plan

SHEET = (ROOT / "kif_games" / "tic_tac_toe.kif").read_bytes()
OTHER = NIM.encode()
GAME = "/base/games/ticTacToe/"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_AGENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


def metadata(version: int | None = 3, **more: object) -> Page:
    told = {"rulesheet": "rules.kif", "gameName": "Tic-Tac-Toe", **more}
    return Page(json.dumps(told if version is None else {**told, "version": version}).encode())


def repository(site: Site, version: int = 3, sheet: bytes = SHEET) -> None:
    site.pages[GAME] = site.pages[f"{GAME}v{version}/"] = metadata(version)
    site.pages[f"{GAME}v{version}/rules.kif"] = Page(sheet)


def complaint(url: str) -> str:
    with pytest.raises(UserError) as caught:
        load_game(url)
    text = str(caught.value)
    assert "\n" not in text
    return text.replace(url, "URL")


def test_rule_sheet(site: Site) -> None:
    site.pages["/some/tic_tac_toe.kif"] = Page(SHEET)
    game = load_game(site.url("/some/tic_tac_toe.kif"))
    assert (game.name, game.roles) == ("tic_tac_toe", ("x", "o"))
    assert game.address == load_game("tic_tac_toe").address
    assert game.sheet.source == site.url("/some/tic_tac_toe.kif")


@pytest.mark.parametrize("end", ["", "v3/"])
def test_game_of_a_repository(site: Site, end: str) -> None:
    repository(site)
    game = load_game(site.url(GAME + end))
    assert (game.name, game.address) == ("ticTacToe", site.url(f"{GAME}v3/"))
    assert game.digest == load_game("tic_tac_toe").digest
    assert site.paths() == [GAME + end, f"{GAME}v3/rules.kif"]


def test_the_folder_of_a_game_may_go_without_its_slash(site: Site) -> None:
    repository(site)
    site.pages[GAME.rstrip("/")] = metadata()
    assert load_game(site.url(GAME.rstrip("/"))).address == site.url(f"{GAME}v3/")


def test_repository_of_plain_files(site: Site) -> None:
    """METADATA as a file without a version, or with one and no folder for it: the sheet is beside it."""
    site.pages["/g/ttt/METADATA"], site.pages["/g/ttt/rules.kif"] = metadata(None), Page(SHEET)
    game = load_game(site.url("/g/ttt/METADATA"))
    assert (game.name, game.address) == ("ttt", f"ggp-agent:ttt:sha256-{game.digest}")
    site.pages["/g/ttt/METADATA"] = metadata(2)
    assert load_game(site.url("/g/ttt/METADATA")).address == game.address


@pytest.mark.parametrize("page", [None, Page(b"<html>a folder</html>"), Page(b"no", 403)])
@pytest.mark.parametrize("end", ["", "/"])
def test_the_folder_of_plain_files(site: Site, page: Page | None, end: str) -> None:
    """Servers of plain files return a page or an error for a folder; METADATA below it is tried."""
    if page is not None:
        site.pages["/games/ttt"] = site.pages["/games/ttt/"] = page
    site.pages["/games/ttt/METADATA"], site.pages["/games/ttt/rules.kif"] = metadata(None), Page(SHEET)
    assert load_game(site.url("/games/ttt" + end)).name == "ttt"
    assert site.paths() == ["/games/ttt" + end, "/games/ttt/METADATA", "/games/ttt/rules.kif"]


def test_a_real_server_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("hex", "tic tac", "ttt"):
        folder = tmp_path / "root" / "games" / name
        folder.mkdir(parents=True)
        (folder / "METADATA").write_bytes(metadata(None).body)
        (folder / "rules.kif").write_bytes(SHEET)
    (tmp_path / "root" / "games" / "readme.txt").write_text("x")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "root"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            base = f"http://127.0.0.1:{server.server_address[1]}"
            for end in ("", "/"):
                assert load_game(f"{base}/games/ttt{end}").name == "ttt"
            for url in (f"{base}/games", f"{base}/games/", base):
                assert [game.name for game in list_repository(url)] == ["hex", "ttt"]
            assert main(["games", "--from", base]) == 0
            assert f"{base}/games/ttt/" in capsys.readouterr().out
            assert main(["games", "--from", f"{base}/games/ttt/"]) == 2
            assert "is the folder of one game" in capsys.readouterr().err
        finally:
            server.shutdown()


def test_the_list_of_a_repository(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.pages["/base/games/"] = Page(json.dumps(["ttt", "hex", "../up", "a/b", "x\x1b"]).encode())
    listed = list_repository(site.url("/base"))
    assert [(game.name, game.url, game.title) for game in listed] == [
        ("hex", site.url("/base/games/hex/"), ""),
        ("ttt", site.url("/base/games/ttt/"), ""),
    ]
    about = {"hex": {"gameName": "Hex", "version": 2, "roleNames": ["red", "blue"]}, "ttt": 7}
    site.pages["/base/games/metadata"] = Page(json.dumps(about).encode())
    assert main(["games", "--from", site.url("/base/games/"), "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["games"]
    assert (first["title"], first["version"], first["roles"]) == ("Hex", "2", ["red", "blue"])
    assert (second["name"], second["title"]) == ("ttt", "")


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (Page(b"gone", 404), "HTTP status 404"),
        (Page(b"{}"), "is not a list of games"),
        (Page(b"[1]"), "is not a list of games"),
        (Page(b"[" * 100_000), "is not a list of games"),
        (Page(b"<html>no links</html>"), "lists no games"),
        (Page(b"<a href=" * 1_000_000), "lists no games"),
        (Page(json.dumps([f"g{number}" for number in range(10_001)]).encode()), "the limit is 10,000"),
        (Page(status=500), "HTTP status 500"),
    ],
)
def test_what_is_no_repository(site: Site, page: Page, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    site.pages["/r/"] = page
    assert main(["games", "--from", site.url("/r/")]) == 2
    error = capsys.readouterr().err
    assert reason in error and error.count("\n") == 1


def test_a_version_is_fetched_once(site: Site) -> None:
    repository(site)
    for _ in range(2):
        load_game(site.url(f"{GAME}v3/"))
    assert site.paths() == [f"{GAME}v3/", f"{GAME}v3/rules.kif"]
    load_game(site.url(GAME))
    load_game(site.url(GAME))
    assert site.paths() == [GAME, f"{GAME}v3/rules.kif", GAME]  # only which version is the last
    repository(site, 4, OTHER)
    assert load_game(site.url(GAME)).address == site.url(f"{GAME}v4/")


def test_a_sheet_that_has_not_changed_is_not_sent_again(site: Site) -> None:
    site.pages["/a.kif"] = Page(SHEET, headers={"ETag": '"one"'})
    first = load_game(site.url("/a.kif"))
    assert load_game(site.url("/a.kif")).address == first.address
    assert site.requests[1].headers["if-none-match"] == '"one"'
    site.pages["/a.kif"] = Page(OTHER, headers={"ETag": '"two"'})
    assert load_game(site.url("/a.kif")).address != first.address


def test_without_the_server_the_copy_serves_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with Site() as site:
        repository(site)
        site.pages["/a.kif"] = Page(SHEET)
        games = [load_game(site.url(GAME)), load_game(site.url("/a.kif"))]
        site.pages["/a.kif"] = Page(status=503)
        assert load_game(site.url("/a.kif")).address == games[1].address
        assert "503" in caplog.messages[0]
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        assert [load_game(site.url(GAME)), load_game(site.url("/a.kif"))] == games
    assert len(caplog.messages) == 2
    refused = "connection refused"
    assert caplog.messages[0].startswith(f"{site.url(GAME)}: {refused}; using version 3 fetched on 20")
    assert caplog.messages[1].startswith(f"{site.url('/a.kif')}: {refused}; using the copy fetched on 20")


def test_nothing_is_kept_where_there_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_AGENT_CACHE", "off")
    with Site({"/a.kif": Page(SHEET)}) as site:
        load_game(site.url("/a.kif"))
    assert "connection refused; no copy is stored" in complaint(site.url("/a.kif"))


def test_a_copy_that_was_tampered_with_is_fetched_again(site: Site, tmp_path: Path) -> None:
    site.pages["/a.kif"] = Page(SHEET)
    game = load_game(site.url("/a.kif"))
    (kept,) = (tmp_path / "cache" / "sheets").iterdir()
    for content in ("", "[]", "{}", '{"url": 1}', "\0", "[" * 100_000):
        kept.write_text(content)
        assert load_game(site.url("/a.kif")) == game


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (Page(b"gone", 404), "URL: HTTP status 404"),
        (Page(b"(role a)" * 300_000), "URL: longer than 2,000,000 bytes"),
        (Page(b"<!DOCTYPE html><html></html>"), "URL: is a web page, not a rule sheet"),
        (Page(b" \n"), "URL: is empty"),
        (Page(b"\x89PNG\r\n"), "URL: is not a rule sheet"),
        (Page(b"{"), "URL: begins like METADATA of a game, but is not JSON"),
        (Page(b'{"rulesheet": "\\ud800.kif"}'), "URL: begins like METADATA of a game, but is not JSON"),
        (Page(b'{"rulesheet": "a.kif", "\\udfff": 1}'), "URL: begins like METADATA of a game, but is not JSON"),
        (Page(b"{}"), "names no file as 'rulesheet'"),
        (metadata(rulesheet="../../secret.kif"), "names no file as 'rulesheet'"),
        (metadata(rulesheet="http://127.0.0.1/x.kif"), "names no file as 'rulesheet'"),
        (metadata(rulesheet="none.kif"), "its rule sheet none.kif: HTTP status 404"),
        (Page(b'{"rulesheet": "a.kif", "version": "../v1"}'), "a 'version' that is not a whole number"),
        (Page(status=301, headers={"Location": "/game"}), "it redirects more than 5 times"),
        (Page(status=301, headers={"Location": "file:///etc/passwd"}), "neither http nor https"),
        (Page(status=500), "URL: HTTP status 500"),
    ],
)
def test_what_is_no_game(site: Site, page: Page, told: str) -> None:
    site.pages["/game"] = page
    assert told in complaint(site.url("/game"))


def test_a_sheet_with_a_mistake_is_told_with_its_place(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.pages["/a.kif"] = Page(b"(role white))")
    assert main(["perft", site.url("/a.kif"), "--depth", "1"]) == 2
    assert f"{site.url('/a.kif')}:1:13: closing parenthesis" in capsys.readouterr().err


def test_redirections_are_followed(site: Site) -> None:
    repository(site)
    site.pages["/short"] = Page(status=302, headers={"Location": GAME})
    assert load_game(site.url("/short")).name == "ticTacToe"


@pytest.mark.parametrize("sent", [b"HTTP/1.0 200 OK\r\nX-Slow: y\r\n", b"HTTP/1.0 200 OK\r\n\r\n(role a)", b""])
def test_a_server_that_drips_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(game_repository, "TIME_LIMIT", 0.5)
    site.drip["/slow.kif"] = sent
    assert complaint(site.url("/slow.kif")).startswith("URL: no ")


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("ftp://127.0.0.1/a.kif", "only http and https work"),
        ("file:///etc/passwd", "only http and https work"),
        ("http://", "is not the address of a web server"),
        ("http://[::1/", "is not the address of a web server"),
        ("http://127.0.0.1:99999/", "is not the address of a web server"),
        ("http://nowhere.invalid/a.kif", "there is no host nowhere.invalid"),
        ("http://127.0.0.1:1/a.kif", "connection refused"),
    ],
)
def test_addresses_that_lead_nowhere(url: str, told: str) -> None:
    assert told in complaint(url)


def test_name_and_password_stay_out_of_records(site: Site) -> None:
    repository(site)
    game = load_game(site.url(GAME).replace("://", "://me:secret@"))
    assert game.address == site.url(f"{GAME}v3/")
    assert site.requests[1].headers["authorization"].startswith("Basic ")


def test_matches_and_tournaments_of_a_repository(
    site: Site, in_empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository(site)
    url = site.url(GAME)
    clocks = ["--startclock", "5", "--playclock", "2"]
    assert main(["match", url, "--player", "legal", "legal", *clocks, "--record", "a.json"]) == 0
    record = json.loads(Path("a.json").read_text())
    assert (record["gameName"], record["gameMetaURL"]) == ("ticTacToe", site.url(f"{GAME}v3/"))
    assert main(["records", "check", "a.json", "--rules", url]) == 0
    # One that broke off goes on, by its URL.
    for name in ("states", "stateTimes", "errors", "moves", "moveTimes"):
        del record[name][3 if "ove" not in name else 2 :]
    del record["goalValues"]
    Path("b.json").write_text(json.dumps({**record, "isCompleted": False, "isAborted": True}))
    assert main(["match", url, "--resume", "b.json"]) == 0
    assert json.loads(Path("b.json").read_text())["isCompleted"]
    Path("plan.toml").write_text(
        f'games = ["{url}"]\nmatches = 1\nstartclock = 1\nplayclock = 1\n'
        '[players.one]\nplayer = "legal"\n[players.two]\nplayer = "random"\n'
    )
    assert read_plan(Path("plan.toml")).games[0].address == site.url(f"{GAME}v3/")
    capsys.readouterr()


def test_on_the_command_line(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    repository(site)
    assert main(["perft", site.url(GAME), "--depth", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["depths"][-1]["leaves"] == 72
    assert main(["check", site.url(f"{GAME}v3/")]) == 0
    assert capsys.readouterr().out.startswith(f"{site.url(f'{GAME}v3/')}: valid\n")
    assert main(["check", site.url("/none.kif")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"ggp-agent: error: {site.url('/none.kif')}: HTTP status 404")
    assert error.count("\n") == 1
