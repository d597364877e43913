"""Calls through the real process: what passes, and what the recorder learns of it."""

import gzip

import pytest

from inspector.core.wire.exchange import TransportFault, TransportOutcome
from inspector.proxy.messages import (
    CallBegun,
    CallEnded,
    CallsPassed,
    ReadsForwarded,
    RequestSent,
    ResponseBegun,
)
from tests.proxy.conftest import KEY, OK, open_way
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.scripted_upstream import CLOSE, Gate
from tests.proxy.started_proxy import StartedProxy

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def pairs(message: ReadsForwarded) -> list[tuple[int, bytes]]:
    return list(zip(message.at_us, message.data, strict=True))


def test_a_completion_passes_and_the_recorder_learns_all_of_it(proxy, recorder, upstream, way):
    reply = proxy.ask(
        "POST",
        way.to("/chat/completions?a=b+c%20&x"),
        body=b'{"model":"m"}',
        headers={"Authorization": "Bearer sk-theirs", "Content-Type": "application/json"},
    )

    assert (reply.status, reply.body) == (200, b"{}")
    request = upstream.request()
    assert request.target == "/v1/chat/completions?a=b+c%20&x"
    assert request.body == b'{"model":"m"}'
    assert request.header("authorization") == ["Bearer sk-theirs"]
    assert KEY.encode() not in request.head
    [ended] = way.ended()
    call = ended.call
    assert recorder.kinds(call) == [
        CallBegun,
        RequestSent,
        ResponseBegun,
        ReadsForwarded,
        CallEnded,
    ]
    [begun] = way.of(CallBegun)
    assert (begun.team_id, begun.key_id, begun.upstream) == (way.team_id, 2, way.name)
    assert begun.url == f"{upstream.url}/v1/chat/completions?a=b+c%20&x"
    assert ("authorization", "Bearer sk-theirs") in begun.headers
    assert way.of(RequestSent) == [RequestSent(call, b'{"model":"m"}', 13)]
    assert way.of(ResponseBegun)[0].status == 200
    assert way.body() == b"{}"
    assert (ended.outcome, ended.fault, ended.byte_length) == (TransportOutcome.ENDED, None, 2)


def test_each_piece_of_a_stream_passes_before_the_next_is_sent(proxy, recorder, upstream, way):
    first, second = Gate(), Gate()
    upstream.answer(
        CHUNKED, b"9\r\ndata: 1\n\n\r\n", first, b"9\r\ndata: 2\n\n\r\n", second, b"0\r\n\r\n"
    )
    with proxy.connect() as connection:
        connection.request("POST", way.chat, body=b"{}")
        response = connection.getresponse()

        assert response.read1(100) == b"data: 1\n\n"
        first.open()
        assert response.read1(100) == b"data: 2\n\n"
        second.open()
        assert response.read() == b""
    [ended] = way.ended()
    [begun] = way.of(ResponseBegun)
    reads = [read for each in way.of(ReadsForwarded) for read in pairs(each)]
    assert [data for _, data in reads] == [b"data: 1\n\n", b"data: 2\n\n"]
    times = [begun.at_us, *(at_us for at_us, _ in reads), ended.at_us]
    assert times == sorted(times)
    assert times[0] > 0


def test_a_call_that_is_no_completion_passes_and_is_only_counted(proxy, recorder, upstream, way):
    assert proxy.ask("GET", way.to("/models")).body == b"{}"
    assert upstream.request().target == "/v1/models"
    assert way.passed() == [CallsPassed(way.team_id, other=1)]
    assert way.of(CallBegun) == []


def test_a_call_that_is_no_completion_is_recorded_where_the_team_wants_it(
    proxy, recorder, upstream
):
    way = open_way(recorder, f"{upstream.url}/v1", keeps_other=True)

    assert proxy.ask("GET", way.to("/models")).body == b"{}"
    [ended] = way.ended()
    [begun] = way.of(CallBegun)
    assert (begun.method, begun.url) == ("GET", f"{upstream.url}/v1/models")
    assert (way.body(), ended.outcome) == (b"{}", TransportOutcome.ENDED)


def test_a_call_of_a_paused_key_passes_and_is_only_counted(proxy, recorder, upstream):
    way = open_way(recorder, upstream.url, is_paused=True)

    assert proxy.ask("POST", way.chat, b"{}").body == b"{}"
    assert way.passed() == [CallsPassed(way.team_id, paused=1)]
    assert way.of(CallBegun) == []


def test_the_key_may_stand_in_a_header_and_does_not_pass(proxy, upstream, way):
    reply = proxy.ask(
        "POST", f"/proxy/{way.name}/chat/completions", b"{}", {"X-Inspector-Key": KEY}
    )

    assert reply.status == 200
    assert upstream.request().header("x-inspector-key") == []


def test_tags_and_metadata_in_headers_are_recorded_and_do_not_pass(proxy, upstream, way):
    reply = proxy.ask(
        "POST",
        way.chat,
        b"{}",
        {
            "X-Inspector-Tag": "checkout, café ,,".encode().decode("latin-1"),
            "X-Inspector-Meta-Release": "2026.11",
            "X-Inspector-Meta-": "no name",
            "X-Inspector-Tagg": "mistyped",
        },
    )

    assert not [name for name, _ in upstream.request().headers if "inspector" in name]
    way.ended()
    [begun] = way.of(CallBegun)
    assert begun.tags == ("checkout", "café")
    assert begun.metadata == {"release": "2026.11"}
    assert not [name for name, _ in begun.headers if "inspector" in name]
    assert "x-inspector-capture" not in reply.headers


def test_the_captures_address_is_in_the_answer_where_the_caller_asks_for_it(
    proxy, recorder, upstream
):
    way = open_way(recorder, upstream.url, captures_url="http://inspector.example/captures/")
    upstream.answer(
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Inspector-Capture: http://evil.example\r\n\r\n"
    )
    reply = proxy.ask("POST", way.chat, b"{}", {"X-Inspector-Return": "capture"})

    [ended] = way.ended()
    said = reply.headers.get_all("x-inspector-capture")
    assert said == [f"http://inspector.example/captures/{ended.call}/"]


def test_the_captures_address_is_in_the_proxys_own_answer_to_a_call_that_failed(proxy, recorder):
    way = open_way(recorder, "http://127.0.0.1:9", captures_url="http://i.example/captures/")
    reply = proxy.ask("POST", way.chat, b"{}", {"X-Inspector-Return": "capture"})

    [ended] = way.ended()
    assert reply.headers["x-inspector-error"] == "upstream_unreachable"
    assert reply.headers["x-inspector-capture"] == f"http://i.example/captures/{ended.call}/"


@pytest.mark.parametrize("returned", ["body", "", "captures"])
def test_nothing_else_is_returned(proxy, recorder, upstream, returned):
    way = open_way(recorder, upstream.url, captures_url="http://inspector.example/captures/")
    reply = proxy.ask("POST", way.chat, b"{}", {"X-Inspector-Return": returned})

    assert "x-inspector-capture" not in reply.headers


def test_a_call_that_is_not_recorded_returns_no_address(proxy, recorder, upstream):
    way = open_way(recorder, upstream.url, is_paused=True, captures_url="http://i.example/c/")
    reply = proxy.ask("POST", way.chat, b"{}", {"X-Inspector-Return": "capture"})

    assert "x-inspector-capture" not in reply.headers


def test_headers_of_one_connection_cookies_and_forwarded_ones_do_not_pass(proxy, upstream, way):
    upstream.answer(
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: a=b\r\nKeep-Alive: timeout=5\r\n"
        b"Connection: x-hop\r\nX-Hop: 1\r\nX-Stays: 2\r\nx-stays: 3\r\nProxy-Authenticate: no\r\n\r\n"
    )
    reply = proxy.ask(
        "POST",
        way.chat,
        b"{}",
        {
            "Connection": "authorization, x-api-key, x-hop, content-type",
            "Authorization": "Bearer sk-1",
            "X-Api-Key": "sk-2",
            "Content-Type": "application/json",
            "X-Hop": "1",
            "Keep-Alive": "1",
            "TE": "trailers",
            "Proxy-Authorization": "Basic x",
            "Cookie": "a=b",
            "Forwarded": "for=1.2.3.4",
            "X-Forwarded-For": "1.2.3.4",
            "X-Forwarded-Anything": "1",
            "X-Real-IP": "1.2.3.4",
            "Accept-Encoding": "br;q=0.5",
            "User-Agent": "theirs/1",
        },
    )

    assert sorted(upstream.request().headers) == [
        ("accept-encoding", "br;q=0.5"),
        ("authorization", "Bearer sk-1"),
        ("content-length", "2"),
        ("content-type", "application/json"),
        ("host", f"127.0.0.1:{upstream.port}"),
        ("user-agent", "theirs/1"),
        ("x-api-key", "sk-2"),
    ]
    assert reply.headers.items() == [("Content-Length", "0"), ("X-Stays", "2"), ("x-stays", "3")]


def test_what_a_browser_would_take_as_said_by_the_origin_is_recorded_and_does_not_pass(
    proxy, recorder, upstream, way
):
    upstream.answer(
        b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nClear-Site-Data: "*"\r\nNEL: {}\r\n'
        b"WWW-Authenticate: Basic\r\nLink: <https://other.example>; rel=preconnect\r\n"
        b"X-Request-ID: req_1\r\nLink: </files?page=2>; rel=next\r\n\r\n{}"
    )
    reply = proxy.ask("POST", way.chat, b"{}")

    assert reply.headers.items() == [
        ("Content-Length", "2"),
        ("X-Request-ID", "req_1"),
        ("Link", "</files?page=2>; rel=next"),
    ]
    way.ended()
    [begun] = way.of(ResponseBegun)
    assert [name for name, _ in begun.headers] == [
        *("Content-Length", "Clear-Site-Data", "NEL", "WWW-Authenticate", "Link", "X-Request-ID"),
        "Link",
    ]


def test_a_request_that_says_little_of_itself_is_given_no_headers_of_ours(proxy, upstream, way):
    with proxy.wire() as wire:
        wire.sendall(
            f"POST {way.chat} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{{}}".encode()
        )
        wire.recv(100)

    assert upstream.request().headers == [
        ("host", f"127.0.0.1:{upstream.port}"),
        ("content-length", "2"),
    ]


def test_a_compressed_body_passes_as_it_came(proxy, recorder, upstream, way):
    packed = gzip.compress(b"data: 1\n\n" * 100)
    upstream.answer(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed),
        packed,
    )
    reply = proxy.ask("POST", way.chat, b"{}", {"Accept-Encoding": "gzip"})

    assert (reply.headers["content-encoding"], reply.body) == ("gzip", packed)
    [ended] = way.ended()
    assert way.body() == packed


def test_a_redirect_is_passed_on_and_not_followed(proxy, upstream, way):
    upstream.answer(
        b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
    )
    reply = proxy.ask("POST", way.chat, b"{}", {"Authorization": "Bearer sk-1"})

    assert (reply.status, reply.headers["location"]) == (307, "http://127.0.0.1:1/")
    assert upstream.connections == 1


@pytest.mark.parametrize(
    "line",
    [
        b"HTTP/1.1 200 Fine",
        b"HTTP/1.1 529 Site is overloaded",
        b"HTTP/1.1 200 ",
        "HTTP/1.1 418 Théière".encode("latin-1"),
    ],
)
def test_the_phrase_behind_the_status_is_the_upstreams_own(proxy, upstream, way, line):
    upstream.answer(line + b"\r\nContent-Length: 0\r\n\r\n")
    with proxy.wire() as wire:
        wire.sendall(
            f"POST {way.chat} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{{}}".encode()
        )
        with wire.makefile("rb") as answer:
            assert answer.readline() == line + b"\r\n"


@pytest.mark.parametrize(
    ("method", "head", "length"),
    [
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", "500"),
        ("HEAD", b"HTTP/1.1 200 OK\r\n\r\n", None),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n", None),
        ("GET", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\nETag: x\r\n\r\n", "500"),
        ("DELETE", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "0"),
    ],
)
def test_a_response_without_a_body_passes_and_its_connection_goes_on(
    proxy, upstream, way, method, head, length
):
    upstream.answer(head)
    with proxy.connect() as connection:
        for _ in range(2):
            connection.request(method, way.to("/files/1"))
            response = connection.getresponse()
            assert response.read() == b""
            assert response.status == int(head.split()[1])
            assert response.headers["content-length"] == length
            assert response.headers["transfer-encoding"] is None
            assert not response.will_close


@pytest.mark.parametrize("status", [200, 201, 400, 401, 404, 429, 500, 503, 529, 999])
def test_every_status_passes(proxy, recorder, upstream, way, status):
    upstream.answer(b"HTTP/1.1 %d Odd\r\nContent-Length: 4\r\n\r\noops" % status)
    reply = proxy.ask("POST", way.chat, b"{}")

    assert (reply.status, reply.body, reply.error) == (status, b"oops", None)
    assert way.ended()[0].outcome is TransportOutcome.ENDED
    assert way.of(ResponseBegun)[0].status == status


def test_information_before_the_response_does_not_confuse(proxy, upstream, way):
    upstream.answer(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", OK)

    assert proxy.ask("POST", way.chat, b"{}").body == b"{}"


def test_trailers_end_the_body_and_go_no_further(proxy, upstream, way):
    upstream.answer(CHUNKED + b"2\r\n{}\r\n0\r\nX-Checksum: 1\r\n\r\n")

    assert proxy.ask("POST", way.chat, b"{}").body == b"{}"


def test_a_body_that_ends_with_its_connection_is_ended_for_the_caller(
    proxy, recorder, upstream, way
):
    upstream.answer(b"HTTP/1.1 200 OK\r\n\r\nuntil I close", CLOSE)

    assert proxy.ask("POST", way.chat, b"{}").body == b"until I close"
    assert way.ended()[0].outcome is TransportOutcome.ENDED


def test_a_chunked_request_passes_chunked(proxy, recorder, upstream, way):
    reply = proxy.ask("POST", way.chat, iter([b'{"a":', b"1}"]))

    request = upstream.request()
    assert reply.status == 200
    assert request.body == b'{"a":1}'
    assert request.header("transfer-encoding") == ["chunked"]
    assert request.header("content-length") == []
    way.ended()
    assert way.of(RequestSent)[0].data == b'{"a":1}'


def test_an_upstreams_connection_is_used_again(proxy, upstream, way):
    for _ in range(3):
        proxy.ask("POST", way.chat, b"{}")

    assert upstream.connections == 1


def test_escapes_in_a_path_pass_as_they_came(proxy, upstream, way):
    proxy.ask("GET", way.to("/models/org%2Fname%3Av1/a:b@c;d=e/~x/%E4"))

    assert upstream.request().target == "/v1/models/org%2Fname%3Av1/a:b@c;d=e/~x/%E4"


@pytest.mark.parametrize(
    "rest",
    ["/../admin", "/%2e%2e/admin", "/%252e%252e/admin", "//evil.example/x", "/a\\b", "/.%2E/x"],
)
def test_a_path_that_climbs_is_answered_404(proxy, upstream, way, rest):
    reply = proxy.ask("POST", way.to(rest), b"{}")

    assert (reply.status, reply.error) == (404, "unknown_upstream")
    assert upstream.connections == 0


def test_an_unknown_key_is_answered_401(proxy):
    reply = proxy.ask("POST", "/proxy/ri_another/openai/chat/completions", b"{}")

    assert (reply.status, reply.error) == (401, "unknown_key")


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.0.0.2", "0.0.0.0", "0", "127.1", "2130706433", "0x7f000001"),
        *("0177.0.0.1", "localhost", "LOCALHOST", "[::1]", "[::]"),
        *("[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]", "[64:ff9b::7f00:1]"),
    ],
)
def test_an_address_that_may_not_be_called_is_answered_403_and_not_called(
    proxy, recorder, upstream, host
):
    way = open_way(recorder, f"http://{host}:{upstream.port}", is_local=False)
    reply = proxy.ask("POST", way.chat, b"{}")

    assert (reply.status, reply.error) == (403, "upstream_not_allowed")
    assert upstream.connections == 0
    [ended] = way.ended()
    assert (ended.outcome, ended.fault) == (
        TransportOutcome.UPSTREAM_ERROR,
        TransportFault.ADDRESS_REFUSED,
    )


def test_a_connection_of_a_local_upstream_is_not_lent_to_another(proxy, recorder, upstream):
    local = open_way(recorder, upstream.url, is_local=True)
    other = open_way(recorder, upstream.url, is_local=False)

    assert proxy.ask("POST", local.chat, b"{}").status == 200
    assert proxy.ask("POST", other.chat, b"{}").error == "upstream_not_allowed"


def test_an_address_in_a_network_of_the_operator_may_be_called(upstream):
    with (
        PlayedRecorder() as recorder,
        StartedProxy(recorder, "--networks", "10.0.0.0/8, 127.0.0.0/8") as proxy,
    ):
        way = open_way(recorder, f"http://localhost:{upstream.port}", is_local=False)
        assert proxy.ask("POST", way.chat, b"{}").status == 200


def test_more_calls_than_a_key_may_have_open_are_answered_429(proxy, recorder, upstream):
    gate = Gate()
    way = open_way(recorder, upstream.url, key_id=77, max_streams=1)
    upstream.answer(gate, OK)
    with proxy.connect() as first:
        first.request("POST", way.chat, b"{}")
        gate.reached()
        reply = proxy.ask("POST", way.chat, b"{}")
        gate.open()
        assert first.getresponse().read() == b"{}"

    assert (reply.status, reply.error) == (429, "too_many_streams")
    assert reply.headers["retry-after"] == "1"
    assert proxy.ask("POST", way.chat, b"{}").status == 200


def test_what_is_over_the_size_limits_passes_and_is_not_kept(upstream):
    upstream.answer(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789")
    with (
        PlayedRecorder() as recorder,
        StartedProxy(recorder, "--capture-bytes", "4", "--request-bytes", "3") as proxy,
    ):
        way = open_way(recorder, upstream.url)
        assert proxy.ask("POST", way.chat, b"abcdef").body == b"0123456789"
        assert upstream.request().body == b"abcdef"
        [ended] = way.ended()

    assert (ended.outcome, ended.byte_length) == (TransportOutcome.CAPPED, 10)
    assert way.body() == b"0123"
    assert (way.of(RequestSent)[0].data, way.of(RequestSent)[0].byte_length) == (b"abc", 6)
