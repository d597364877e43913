"""What a request asks for, whatever its body holds."""

from __future__ import annotations

import pytest

from inspector.core.request_params import RequestParams, parse_request_body, parse_request_params
from inspector.core.wire.exchange import Request


def asked(body: bytes | None) -> RequestParams | None:
    return parse_request_params(parse_request_body(Request(body=body)))


def test_what_was_asked_is_read() -> None:
    body = b'{"model":"parcel-1","n":3,"stream":true,"response_format":{"type":"json_schema"}}'
    expected = RequestParams(model="parcel-1", choices=3, is_streamed=True, wants_json=True)
    assert asked(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"model":null,"n":null,"stream":null,"response_format":null}',
        b'{"model":7,"n":"3","stream":"true","response_format":"json"}',
        b'{"model":"","n":true,"stream":1,"response_format":{"type":["json_object"]}}',
        b'{"n":-1,"response_format":{"type":"text"}}',
    ],
)
def test_what_cannot_be_meant_counts_as_the_default(body: bytes) -> None:
    assert asked(body) == RequestParams()


@pytest.mark.parametrize("body", [None, b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_says_nothing(body: bytes | None) -> None:
    assert asked(body) is None


def test_nothing_is_asked_where_no_request_is_known() -> None:
    assert parse_request_params(parse_request_body(None)) is None
