"""Foreign web pages can neither read from a player nor play or end its matches; game managers can."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import pytest
from browsers import chromium
from quick import few
from served import Serve, Served
from small_games import NIM
from waiting import wait_for
from wire_samples import captured_requests, post
from wire_server import AVAILABLE, body_of, exchange, legal_player, rest, running

from ggp_agent.common.errors import UserError
from ggp_agent.player.server.player_server import PlayerServer
from ggp_agent.protocol.host_names import HostNames

# Host names of the internet that resolve to this machine. Chromium's own protection of local networks is switched off,
# because other browsers and older versions do not have it.
REBOUND = (
    "--host-resolver-rules=MAP *.example 127.0.0.1",
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
)
START = f"( START m.1 first ({NIM}) 20 5 )"
PLAY = "/%28PLAY%20m.1%20NIL%29"
ABORT = "/%28ABORT%20m.1%29"
INFO = "/%28INFO%29"


@pytest.fixture
def server() -> Iterator[PlayerServer]:
    player = legal_player()
    with running(player.answer, names=["player.example"]) as running_server:
        yield running_server
    player.close()


def raw(verb: str, path: str, *headers: str, body: str = "") -> bytes:
    lines = [f"{verb} {path} HTTP/1.1", *headers, *([f"Content-Length: {len(body)}"] if body else [])]
    return "\r\n".join([*lines, "", body]).encode("latin-1")


def ask(served: Served, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
        connection.sendall(request)
        return rest(connection)


@pytest.mark.parametrize("host", ["127.0.0.1:9147", "localhost", "evil.example:9147", ""])
def test_get_changes_nothing(server: PlayerServer, host: str) -> None:
    headers = [f"Host: {host}"] if host else []
    assert body_of(exchange(server, post(START))) == "ready"
    for path in (ABORT, PLAY, "/(STOP+m.1+NIL)", "/;%0A(ABORT+m.1)", "/abort", "/(PREVIEW+x+1)", "/favicon.ico"):
        head, _, body = exchange(server, raw("GET", path, *headers)).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.0 403 " if "evil" in host else b"HTTP/1.0 405 ")
        assert len(body.splitlines()) == 1
    start = raw("GET", "/" + START.replace(" ", "+").replace("m.1", "m.2").replace("\n", "+"), *headers)
    assert exchange(server, start).startswith(b"HTTP/1.0 40")
    assert body_of(exchange(server, post("( PLAY m.1 NIL )"))) == "(take 1)"


@pytest.mark.parametrize(
    "headers",
    [
        (),
        ("Host:",),
        ("Host: localhost:9147",),
        ("HOST:LocalHost",),
        ("Host: 127.0.0.1:9147",),
        ("Host: [::1]:9147",),
        ("Host: ::1",),
        ("Host: 192.0.2.7:9147",),
        ("Host: player:9147",),
        ("Host: x",),
        ("Host: player.example.:9147",),
        (f"Host: {socket.gethostname()}:9147",),
        ("Host: 127.0.0.1:9147", "Sec-Fetch-Site: none"),
        ("Host: localhost:9147", "Sec-Fetch-Site: same-origin"),
        ("Host: 127.0.0.1:9147", "Origin: http://localhost:8000"),
    ],
    ids=" ".join,
)
def test_requests_to_names_of_this_machine_are_answered(server: PlayerServer, headers: tuple[str, ...]) -> None:
    assert body_of(exchange(server, raw("POST", "/", *headers, body="( INFO )"))) == AVAILABLE
    assert body_of(exchange(server, raw("GET", INFO, *headers))) == AVAILABLE


@pytest.mark.parametrize(
    "headers",
    [
        ("Host: evil.example:9147",),
        ("Host: localhost.evil.example",),
        ("Host: 127.0.0.1.evil.example",),
        ("Host: player.example.evil.example",),
        ("Host: evil.example", "Host: localhost"),
        ("Host: evil.example", "Sec-Fetch-Site: none"),
        ("Host: \xff.example\x00",),
        ("Host: " + "x." * 30_000,),
        ("Host: evil.example:9147", "Sec-Fetch-Site: same-origin"),
        ("Host: 127.0.0.1:9147", "Sec-Fetch-Site: cross-site"),
        ("Host: evil.example:9147", "Origin: http://evil.example:9147"),
        ("Host: 127.0.0.1:9147", "Origin: https://evil.example"),
        ("Host: 127.0.0.1:9147", "Origin: null"),
    ],
    ids=lambda headers: " ".join(headers)[:60].encode("unicode_escape").decode(),
)
def test_requests_of_foreign_pages_are_refused(server: PlayerServer, headers: tuple[str, ...]) -> None:
    for request in (raw("POST", "/", *headers, body="( INFO )"), raw("GET", INFO, *headers)):
        head, _, body = exchange(server, request).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.0 403 ")
        assert body.isascii() and len(body.splitlines()) == 1 and len(body) < 200


def test_the_host_of_a_complete_url_counts(server: PlayerServer) -> None:
    for target, status in (("http://evil.example:9147/(INFO)", b"403"), ("http://localhost:9147/(INFO)", b"200")):
        assert exchange(server, raw("GET", target, "Host: localhost"))[9:12] == status
    assert exchange(server, raw("GET", "http://localhost@evil.example/(INFO)"))[9:12] == b"403"


def test_requests_of_public_game_managers_are_answered(server: PlayerServer) -> None:
    requests = captured_requests()
    if not requests:
        pytest.skip("no captured requests beside the checkout")
    for request in requests:
        assert exchange(server, request).startswith(b"HTTP/1.0 200 ")


def test_names_and_origins_may_be_allowed(serve: Serve) -> None:
    options = ("--allow-name", "player.example", "--allow-origin", "https://manager.example")
    served = serve("--player", "legal", *options)
    named = ask(served, raw("POST", "/", "Host: player.example:9147", body="( INFO )"))
    page = ask(served, raw("POST", "/", "Host: 127.0.0.1", "Origin: https://manager.example", body="( INFO )"))
    assert b"(status available)" in named and b"(status available)" in page
    assert ask(served, raw("POST", "/", "Host: other.example", body="( INFO )")).startswith(b"HTTP/1.0 403 ")
    wait_for(lambda: "the Host header has an unknown host name: 'other.example'" in served.log.read_text())


def test_every_name_may_be_allowed() -> None:
    with running(names=["*"]) as server:
        request = raw("POST", "/", "Host: any.example", body="( INFO )")
        assert body_of(exchange(server, request)) == AVAILABLE


@pytest.mark.parametrize("name", few(["", "a b", "http://player.example", "player.example:80", "a..b", "x" * 300], 1))
def test_an_invalid_name_is_reported_in_one_line(name: str, refusal: Callable[..., str]) -> None:
    with pytest.raises(UserError, match="is not a host name"):
        HostNames([name])
    if name:
        error = refusal("serve", "--port", "0", "--player", "legal", "--allow-name", name)
        assert "is not a host name" in error and "--allow-name" in error


SEND = """
async () => {
  const answers = [];
  for (const [path, options] of %s) {
    try {
      const answer = await fetch(path, options);
      answers.push(`${answer.type} ${answer.status} ${await answer.text()}`);
    } catch (error) {
      answers.push("failed");
    }
  }
  return answers;
}
"""


SHOW_IMAGE = """
url => new Promise(end => {
  const image = new Image();
  image.onload = image.onerror = () => end();
  image.src = url;
})
"""


@pytest.mark.slow
def test_pages_in_chromium_can_do_nothing(serve: Serve) -> None:
    served = serve("--player", "legal")
    assert served.ask(START) == "ready"
    rebound, other = f"http://evil.example:{served.port}", "http://other.example"
    with chromium(REBOUND) as browser:
        page = browser.new_page()
        for site in (rebound, other):
            page.route(f"{site}/page", lambda route: route.fulfill(content_type="text/html", body="<p>page"))
        page.goto(f"{rebound}/page")
        requests = f'[["{INFO}"], ["{ABORT}"], ["/", {{method: "POST", body: "( ABORT m.1 )"}}]]'
        answers = page.evaluate(SEND % requests)
        assert len(answers) == 3 and all(answer.startswith("basic 403 ") for answer in answers), answers
        page.goto(f"{other}/page")
        for address in (rebound, f"http://127.0.0.1:{served.port}", f"http://localhost:{served.port}"):
            page.evaluate(SHOW_IMAGE, address + ABORT)
            blind = f'["{address}{ABORT}", {{mode: "no-cors"}}], ["{address}{PLAY}", {{mode: "no-cors"}}]'
            posts = f'["{address}/", {{method: "POST", mode: "no-cors", body: "( ABORT m.1 )"}}]'
            page.evaluate(SEND % f"[{blind}, {posts}]")
    assert served.ask("( PLAY m.1 NIL )") == "(take 1)"
    assert "the Host header has an unknown host name" in served.log.read_text()
