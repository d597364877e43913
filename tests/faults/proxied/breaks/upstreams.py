"""V2, V3, V6, V7, V8: what upstreams do to calls."""

import gzip
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

from development import servers
from tests.faults.proxied.caller import Heard
from tests.faults.proxied.certificates import EXPIRED, authority
from tests.faults.proxied.ledger import BROKEN, CAPPED, ENDED, TIMED_OUT, Expected
from tests.faults.proxied.rows import proxy_row
from tests.faults.proxied.stack import ProxyStack, resident_bytes
from tests.faults.proxied.upstream import (
    BOUND_SECONDS,
    EVENTS,
    JSON,
    ScriptedUpstream,
    UpstreamCall,
    events,
)
from tests.faults.stacks import EMBEDDED, PRODUCTION

OFFSETS = 20
IDLE_SECONDS = "1"
HUGE_PIECE = b": " + b"y" * 65_532 + b"\r\n"
HUGE_PIECES = 1024
BOMB_BYTES = 256 * 1024 * 1024
GROWTH_BYTES = 96 * 1024 * 1024
CUT = Expected((BROKEN,), ("upstream-error",), fault="broken-response")
UNANSWERED = {"is_exact": True, "status": None}
Die = Callable[[UpstreamCall], None]


def offsets(data: bytes) -> list[int]:
    """Spread over it, with one inside a character and one between CR and LF."""
    spread = [len(data) * part // OFFSETS for part in range(OFFSETS)]
    return [*spread, data.index("☕".encode()) + 1, data.index(b"\r\n") + 1]


def dying(stack: ProxyStack, name: str, die: Die, expected: Expected, *head: str) -> None:
    """The caller has all that was sent before the upstream dies; each call at another offset."""
    for number in range(OFFSETS + 2):
        key = stack.calls.enter(name, expected)
        data = b"".join(events(key))
        data = data[: offsets(data)[number]]
        read = Event()

        def play(call: UpstreamCall, data: bytes = data, read: Event = read) -> None:
            call.head("200 OK", f"Content-Type: {EVENTS}", *head, chunked=not head)
            if data:
                call.say(data)
            read.wait(BOUND_SECONDS)
            die(call)

        call = stack.begin_call(key, play)
        assert call.response.status == 200
        if data:
            assert call.read(len(data)) == data
        read.set()
        heard = call.read_all()
        stack.calls.heard[key] = heard.body
        if heard.is_whole:
            stack.calls.wrong.append(f"{key}: an end was invented")


def close(call: UpstreamCall) -> None:
    call.connection.close()


@proxy_row("V2-FIN", PRODUCTION, EMBEDDED)
def an_upstream_closes_in_the_middle(stack: ProxyStack) -> None:
    dying(stack, "v2-fin", close, CUT)


@proxy_row("V2-RST", PRODUCTION, EMBEDDED)
def an_upstream_resets_in_the_middle(stack: ProxyStack) -> None:
    dying(stack, "v2-rst", UpstreamCall.reset, CUT)


@proxy_row("V2-length", PRODUCTION, EMBEDDED)
def an_upstream_sends_less_than_it_announced(stack: ProxyStack) -> None:
    dying(stack, "v2-length", close, CUT, "Content-Length: 100000")


@proxy_row("V2-stall", PRODUCTION, EMBEDDED)
def an_upstream_falls_silent_in_the_middle(stack: ProxyStack) -> None:
    expected = Expected((TIMED_OUT,), ("upstream-error",), fault="response-timeout")
    idle = stack.proxy_with("--first-byte-seconds", IDLE_SECONDS, "--idle-seconds", IDLE_SECONDS)
    with idle, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: stalled(stack, expected, number), range(OFFSETS)))


def stalled(stack: ProxyStack, expected: Expected, number: int) -> None:
    key = stack.calls.enter("v2-stall", expected)
    data = b"".join(events(key))
    data = data[: offsets(data)[number]]

    def play(call: UpstreamCall) -> None:
        call.head("200 OK", f"Content-Type: {EVENTS}")
        if data:
            call.say(data)
        call.wait_until_left()

    heard = stack.begin_call(key, play).read_all()
    stack.calls.heard[key] = heard.body
    assert not heard.is_whole and heard.body == data


@proxy_row("V2-head", PRODUCTION, EMBEDDED)
def an_upstream_dies_before_its_head_is_whole(stack: ProxyStack) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    expected = Expected((BROKEN,), ("upstream-error",), fault="broken-response", **UNANSWERED)
    for beginning in (b"", head[:5], head[:20], head[:-2], b"nothing of HTTP\r\n\r\n"):
        for die in (close, UpstreamCall.reset):

            def play(call: UpstreamCall, beginning: bytes = beginning, die: Die = die) -> None:
                if beginning:
                    call.raw(beginning)
                die(call)

            refused(stack.make_call("v2-head", expected, play), 502, "upstream_broken")


def refused(heard: Heard, status: int, code: str) -> None:
    assert (heard.status, heard.header("X-Inspector-Error")) == (status, code), heard
    assert json.loads(heard.body)["error"]["code"] == code


@proxy_row("V2-refused", PRODUCTION, EMBEDDED)
def an_upstream_is_not_there(stack: ProxyStack) -> None:
    stack.add_upstream("gone", f"http://127.0.0.1:{servers.free_port()}")
    expected = Expected((BROKEN,), ("upstream-error",), fault="unreachable", **UNANSWERED)
    refused(stack.make_call("v2-refused", expected, upstream="gone"), 502, "upstream_unreachable")


@proxy_row("V3", PRODUCTION, EMBEDDED)
def an_upstream_never_answers(stack: ProxyStack) -> None:
    expected = Expected((TIMED_OUT,), ("upstream-error",), fault="response-timeout", **UNANSWERED)
    with stack.proxy_with("--first-byte-seconds", IDLE_SECONDS, "--idle-seconds", IDLE_SECONDS):
        heard = stack.make_call("v3", expected, UpstreamCall.wait_until_left)
        refused(heard, 504, "upstream_timeout")


ERROR = b'{"error": {"message": "slow down",\n  "type": "rate_limit_error"}}'
PAGE = b"<html><body>Bad gateway</body></html>"
ANSWERS: tuple[tuple[str, tuple[str, ...], bytes, str], ...] = (
    ("429 Too Many Requests", (f"Content-Type: {JSON}", "Retry-After: 7", "x-request-id: req-1"), ERROR, "provider-error"),
    ("500 Internal Server Error", (f"Content-Type: {JSON}",), ERROR, "provider-error"),
    ("529 Site is overloaded", (f"Content-Type: {JSON}",), ERROR, "provider-error"),
    ("502 Bad Gateway", ("Content-Type: text/html", "Server: other"), PAGE, "upstream-error"),
    ("200 OK", (f"Content-Type: {JSON}",), b"", "not-a-response"),
    ("204 No Content", (), b"", "not-a-response"),
    ("302 Found", ("Location: http://169.254.169.254/",), b"", "not-a-response"),
    ("200 Fine", ("Content-Type: text/plain", "X-Twice: 1", "X-Twice: 2"), b"\xff\x00\x7f", "not-a-response"),
)  # fmt: skip


@proxy_row("V6", PRODUCTION, EMBEDDED)
def upstreams_answer_as_they_please(stack: ProxyStack) -> None:
    """Status, its phrase, headers and bytes are the upstream's own."""
    for status, headers, body, verdict in ANSWERS:

        def play(call: UpstreamCall, status: str = status, headers: tuple[str, ...] = headers, body: bytes = body) -> None:  # fmt: skip
            length = () if status.startswith("204") else (f"Content-Length: {len(body)}",)
            call.head(status, *headers, *length, chunked=False)
            if body:
                call.say(body)

        expected = Expected(verdicts=(verdict,), status=int(status[:3]))
        heard = stack.make_call("v6", expected, play)
        assert f"{heard.status} {heard.reason}" == status and heard.body == body
        for header in headers:
            name, _, value = header.partition(": ")
            assert (name.lower(), value) in [(n.lower(), v) for n, v in heard.headers], heard


@proxy_row("V6-hints", PRODUCTION, EMBEDDED)
def an_upstream_sends_hints_before_and_trailers_after(stack: ProxyStack) -> None:
    """They are passed over, and what is between them is not."""

    def play(call: UpstreamCall) -> None:
        call.raw(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        call.head("200 OK", f"Content-Type: {EVENTS}")
        for event in events(call.key):
            call.say(event)
        call.raw(b"0\r\nX-Trailer: 1\r\n\r\n")

    heard = stack.make_call("v6-hints", Expected(), play)
    assert heard.is_whole and heard.status == 200


@proxy_row("V7", PRODUCTION, EMBEDDED)
def the_certificate_of_an_upstream_does_not_hold(stack: ProxyStack) -> None:
    own = authority(stack.folder / "authority")
    other = authority(stack.folder / "other-authority")
    contexts = {
        "tls-valid": own.context("localhost"),
        "tls-expired": own.context("localhost", EXPIRED),
        "tls-other-name": own.context("elsewhere.example"),
        "tls-unknown": other.context("localhost"),
    }
    expected = Expected((BROKEN,), ("upstream-error",), fault="tls", **UNANSWERED)
    with ExitStack() as ending:
        for name, context in contexts.items():
            upstream = ScriptedUpstream(context, "localhost")
            ending.callback(upstream.close)
            stack.more_upstreams.append(upstream)
            stack.add_upstream(name, upstream.url)
        with stack.proxy_with(SSL_CERT_FILE=str(own.certificate)):
            assert stack.make_call("v7-valid", upstream="tls-valid").is_whole
            for name in list(contexts)[1:]:
                refused(stack.make_call("v7", expected, upstream=name), 502, "upstream_tls")
    assert [len(upstream.calls) for upstream in stack.more_upstreams[-4:]] == [1, 0, 0, 0]


@proxy_row("V8-huge", PRODUCTION, EMBEDDED)
def an_upstream_sends_more_than_is_kept(stack: ProxyStack) -> None:
    def play(call: UpstreamCall) -> None:
        call.head("200 OK", f"Content-Type: {EVENTS}")
        for _ in range(HUGE_PIECES):
            call.say(HUGE_PIECE)
        call.finish()

    processes = (stack.leader("proxy"), stack.recorder())
    before = [resident_bytes(process) for process in processes]
    expected = Expected((CAPPED,), ("capped",), is_exact=False, at_least=1024 * 1024)
    heard = stack.make_call("v8-huge", expected, play)
    assert heard.is_whole and len(heard.body) == HUGE_PIECES * len(HUGE_PIECE)
    for process, had in zip(processes, before, strict=True):
        assert resident_bytes(process) - had < GROWTH_BYTES


@proxy_row("V8-bomb", PRODUCTION, EMBEDDED)
def an_upstream_sends_what_unpacks_to_far_more(stack: ProxyStack) -> None:
    bomb = gzip.compress(bytes(BOMB_BYTES), 9)

    def play(call: UpstreamCall) -> None:
        call.head("200 OK", f"Content-Type: {EVENTS}", "Content-Encoding: gzip")
        call.say(bomb)
        call.finish()

    process = stack.recorder()
    before = resident_bytes(process)
    verdicts = ("unreadable", "not-a-response", "cut-off", "capped")
    heard = stack.make_call("v8-bomb", Expected((ENDED,), verdicts), play)
    assert heard.body == bomb and heard.header("Content-Encoding") == "gzip"
    assert resident_bytes(process) - before < GROWTH_BYTES
