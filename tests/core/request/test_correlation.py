"""Session, trace and user are what the sender states, wherever it does."""

from typing import Any

import pytest

from inspector.core.request.correlation import MAX_CHARACTERS, correlation_of

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def stated(
    metadata: dict[str, Any] | None = None,
    headers: tuple[tuple[str, str], ...] | None = None,
    body: dict[str, Any] | None = None,
) -> dict[str, tuple[str, str]]:
    found = correlation_of(metadata or {}, headers, body)
    return {str(kind): (each.value, each.source) for kind, each in found.items()}


def test_metadata_of_the_sender() -> None:
    assert stated({"session_id": "s-1", "trace.id": "t-1", "userId": 7, "release": "x"}) == {
        "session": ("s-1", "metadata.session_id"),
        "trace": ("t-1", "metadata.trace.id"),
        "user": ("7", "metadata.userId"),
    }
    assert stated({"Thread-Id": "t"}) == {"session": ("t", "metadata.Thread-Id")}


def test_headers_of_the_request() -> None:
    traced = ("Traceparent", f"00-{TRACE}-00f067aa0ba902b7-01")
    assert stated(headers=(traced,)) == {
        "trace": (TRACE, "header traceparent"),
        "span": ("00f067aa0ba902b7", "header traceparent"),
    }
    baggage = ("baggage", "a=b, session.id=s%201;p=1 ,user.id=u-1")
    assert stated(headers=(baggage,)) == {
        "session": ("s 1", "header baggage"),
        "user": ("u-1", "header baggage"),
    }
    assert stated(headers=(("X-Session-Id", "s-2"),)) == {"session": ("s-2", "header x-session-id")}


def test_members_of_the_request_body() -> None:
    assert stated(body={"user": "u-1", "conversation": {"id": "conv_1"}}) == {
        "session": ("conv_1", "request conversation"),
        "user": ("u-1", "request user"),
    }
    assert stated(body={"metadata": {"user_id": "u-2"}}) == {
        "user": ("u-2", "request metadata.user_id")
    }
    assert stated(body={"safety_identifier": "hash"})["user"] == (
        "hash",
        "request safety_identifier",
    )


def test_metadata_comes_before_headers_before_the_body() -> None:
    headers = (("x-user-id", "of the header"),)
    body = {"user": "of the body"}
    assert stated({"user": "of the sender"}, headers, body)["user"][0] == "of the sender"
    assert stated({}, headers, body)["user"][0] == "of the header"
    assert stated({}, None, body)["user"][0] == "of the body"


@pytest.mark.parametrize(
    "value", ["", "  ", None, [], {}, True, 1.5, "x" * (MAX_CHARACTERS + 1), 10**30, "[removed]"]
)
def test_what_is_no_id_is_none(value: object) -> None:
    assert stated({"session": value, "user": value}, None, {"user": value, "metadata": value}) == {}


@pytest.mark.parametrize(
    "sent", ["", "00-xyz", f"00-{'0' * 32}-00f067aa0ba902b7-01", f"00-{TRACE}-{'0' * 16}-01"]
)
def test_a_trace_that_is_no_trace_context_is_none(sent: str) -> None:
    assert stated(headers=(("traceparent", sent),)) == {}
