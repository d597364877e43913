"""A whole exchange: what its request carried is nowhere in it afterwards."""

import gzip
import hashlib
from typing import Any

from inspector.core.credentials import cleaning
from inspector.core.credentials.cleaning import CleanedExchange
from inspector.core.wire.exchange import Exchange, Read, Request

KEY = "tenant/key+0123456789="
REQUEST = Request(
    method="POST", url="https://h/v1", headers=(("Authorization", f"Bearer {KEY}"),), body=b"{}"
)


def keyed(digest: str) -> str:
    return f"keyed {digest}"


def clean(*parts: bytes, headers: Any = (), request: Request | None = REQUEST) -> CleanedExchange:
    reads = tuple(Read(at, part) for at, part in enumerate(parts))
    exchange = Exchange(reads=reads, headers=headers, request=request)
    return cleaning.clean_exchange(exchange, {}, keyed)


def test_a_repeated_credential_is_overwritten_in_place_and_across_reads() -> None:
    key = KEY.encode()
    parts = (b'{"error":"' + key[:5], key[5:] + b" is wrong: ", key, b'"}')
    cleaned = clean(*parts)
    stars = b"*" * len(key)
    assert cleaned.exchange.body == b'{"error":"' + stars + b" is wrong: " + stars + b'"}'
    assert [len(read.data) for read in cleaned.exchange.reads] == [len(part) for part in parts]
    assert [read.at_us for read in cleaned.exchange.reads] == [0, 1, 2, 3]
    assert cleaned.removal.response_body == 2
    was = hashlib.sha256(b"".join(parts)).hexdigest()
    assert cleaned.removal.response_body_was == f"keyed {was}"


def test_spellings_of_json_and_of_addresses_are_the_same_credential() -> None:
    for spelt in (
        b"tenant\\/key+0123456789=",
        b"tenant/key\\u002b0123456789\\u003D",
        b"tenant\\\\/key+0123456789=",
        b"tenant%2Fkey%2B0123456789%3D",
        b"\\u0074enant/key+0123456789=",
    ):
        cleaned = clean(b'{"a":"x ' + spelt + b' y"}')
        assert cleaned.exchange.body == b'{"a":"x ' + b"*" * len(spelt) + b' y"}'


def test_the_password_of_basic_and_the_key_of_the_address_are_looked_for() -> None:
    basic = Request(headers=(("authorization", "Basic dXNlcjpodW50ZXIyMDA="),))
    assert clean(b"no hunter200 here", request=basic).exchange.body == b"no ********* here"
    address = Request(url="https://h/v1?key=AIza%2D01234567")
    assert clean(b"key AIza-01234567?", request=address).exchange.body == b"key *************?"


def test_what_stands_in_answers_by_chance_is_not_looked_for() -> None:
    for value in ("short1", "completion", "assistant", "12345678"):
        request = Request(headers=(("x-api-key", value),), url=f"https://h/?key={value}")
        body = f'{{"object":"chat.completion","{value}":1}}'.encode()
        assert clean(body, request=request).exchange.body == body


def test_what_is_removed_only_because_nobody_knows_it_is_no_credential() -> None:
    request = Request(headers=(("X-Team", "blue-team-2026"), ("X-Session-Id", "session-0001")))
    cleaned = clean(b"blue-team-2026 session-0001", request=request)
    assert cleaned.exchange.body == b"blue-team-2026 session-0001"
    assert cleaned.removal.request_headers == 2


def test_response_headers_and_the_requests_body_do_not_repeat_it_either() -> None:
    request = Request(headers=REQUEST.headers, body=b'{"user":"' + KEY.encode() + b'"}', url="/v1")
    cleaned = clean(b"{}", headers=(("x-echo", f"<{KEY}>"),), request=request)
    assert cleaned.exchange.headers == (("x-echo", "<[removed]>"),)
    assert cleaned.exchange.request is not None
    assert cleaned.exchange.request.body == b'{"user":"' + b"*" * len(KEY) + b'"}'
    assert (cleaned.removal.response_headers, cleaned.removal.request_body) == (1, 1)


def test_of_a_credential_that_looks_like_another_no_end_is_left() -> None:
    key = "sk-proj-aBcD1234efGH5678/ijklMNop"
    request = Request(headers=(("x-api-key", key),), url=f"https://h/a,{key}")
    exchange = Exchange(reads=(), headers=(("x-echo", f"<{key}>"),), request=request)
    cleaned = cleaning.clean_exchange(exchange, {"note": f"by {key}"}, keyed)
    assert cleaned.exchange.headers == (("x-echo", "<[removed]>"),)
    assert cleaned.exchange.request is not None
    assert cleaned.exchange.request.url == "https://h/a,[removed]"
    assert cleaned.metadata == {"note": "by [removed]"}


def test_a_compressed_body_that_repeats_it_is_kept_decoded() -> None:
    plain = b'{"error":"' + KEY.encode() + b'"}'
    sent = (("Content-Encoding", "gzip"), ("Content-Length", "99"), ("X-A", "b"))
    cleaned = clean(gzip.compress(plain), headers=sent)
    assert cleaned.exchange.body == b'{"error":"' + b"*" * len(KEY) + b'"}'
    assert cleaned.exchange.headers == (("X-A", "b"),)
    assert (cleaned.removal.decoded_from, cleaned.removal.coding_fault) == ("gzip", None)


def test_a_compressed_body_without_it_stays_as_it_came() -> None:
    body, sent = gzip.compress(b'{"fine":1}'), (("Content-Encoding", "gzip"),)
    cleaned = clean(body, headers=sent)
    assert (cleaned.exchange.body, cleaned.exchange.headers) == (body, sent)


def test_cleaning_again_finds_nothing() -> None:
    request = Request(
        headers=REQUEST.headers, url="https://u:p@h/?key=abc", body=b'{"api_key":"abc"}'
    )
    once = clean(KEY.encode(), request=request)
    again = cleaning.clean_exchange(once.exchange, once.metadata, keyed)
    assert again.exchange == once.exchange
    assert (once.removal.total, again.removal.total) == (4, 0)


def test_an_exchange_without_request_and_headers_is_what_it_was() -> None:
    cleaned = clean(b'{"a":"sk-proj-aBcD1234efGH5678ijklMNop"}', request=None)
    assert cleaned.exchange.body == b'{"a":"sk-proj-aBcD1234efGH5678ijklMNop"}'
    assert cleaned.removal.total == 0
