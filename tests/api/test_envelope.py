import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NoReturn
from uuid import UUID

import pytest

from api.api_error import ApiError, document_error
from inspector.archive import queries
from inspector.archive.intake import exchange_envelope
from inspector.archive.intake.envelope import envelope_line, parse_envelope
from inspector.archive.models import Capture
from inspector.core.json import document as json_document
from inspector.core.json.document import BadDocument
from inspector.core.wire.exchange import Read, TransportOutcome
from tests.archive.samples import STREAM, WHOLE, inspect_all
from tests.people import Person

CAPTURES = "/api/v1/captures/"
NESTED: Any = None
for _ in range(70):
    NESTED = {"a": NESTED}


def b64(body: bytes) -> str:
    return base64.b64encode(body).decode()


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


def refusal_of(body: bytes) -> ApiError:
    with pytest.raises(BadDocument) as refused:
        parse_envelope(body)
    return document_error(refused.value)


def test_an_envelope_of_everything() -> None:
    body = {
        "response": {
            "status": 200,
            "headers": {"Content-Type": "text/event-stream", "x-request-id": "r"},
            "reads": [
                {"at_us": 100, "data": "data: é"},
                {"at_us": 100, "data_b64": b64(b"\xff\n")},
            ],
        },
        "request": {
            "method": "POST",
            "url": "https://h/v1",
            "headers": [["a", "1"], ["a", "2"]],
            "body": '{"model":"m"}',
        },
        "started_at": "2026-03-01T12:00:00+01:00",
        "outcome": "client-cancelled",
        "tags": ["a"],
        "metadata": {"run": {"id": 7}},
        "idempotency_key": "k",
    }
    arrival = parse_envelope(dumped(body))
    exchange = arrival.exchange
    assert exchange.reads == (Read(100, "data: é".encode()), Read(100, b"\xff\n"))
    assert (exchange.status_code, exchange.content_type) == (200, "text/event-stream")
    assert exchange.outcome is TransportOutcome.CLIENT_CANCELLED
    assert exchange.request is not None
    assert exchange.request.headers == (("a", "1"), ("a", "2"))
    assert exchange.request.body == b'{"model":"m"}'
    assert arrival.started_at == datetime(2026, 3, 1, 11, tzinfo=UTC)
    assert (arrival.tags, arrival.metadata) == (("a",), {"run": {"id": 7}})
    assert arrival.idempotency_key == "k"


def test_the_least_envelope() -> None:
    exchange = parse_envelope(b'{"response":{"body":""}}').exchange
    assert exchange.reads == (Read(None, b""),)
    assert (exchange.status_code, exchange.content_type, exchange.request) == (None, None, None)


def test_a_nul_in_a_body_is_the_payloads_own_affair() -> None:
    exchange = parse_envelope(rb'{"response":{"body":"a\u0000b"}}').exchange
    assert exchange.body == b"a\0b"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "response"),
        ([], "array"),
        ({"team": "x", "response": {"body": ""}}, "team"),
        ({"TEAM": "x", "response": {"body": ""}}, "TEAM"),
        ({"te\0am": "x", "response": {"body": ""}}, "te\0am"),
        ({"id": {"$ne": None}}, "id"),
        ({"response": {}}, "$.response.body"),
        ({"response": {"body": "", "body_b64": ""}}, "$.response.body"),
        ({"response": {"body": "", "reads": []}}, "$.response"),
        ({"response": {"body": {"object": "chat.completion"}}}, "$.response.body"),
        ({"response": {"body": "", "is_staff": True}}, "is_staff"),
        ({"response": {"body_b64": "a"}}, "$.response.body_b64"),
        ({"response": {"body_b64": "YQ==\n"}}, "$.response.body_b64"),
        ({"response": {"body_b64": "Y-_="}}, "$.response.body_b64"),
        ({"response": {"body_b64": "é"}}, "$.response.body_b64"),
        ({"response": {"body": "", "status": 99}}, "$.response.status"),
        ({"response": {"body": "", "status": "200"}}, "$.response.status"),
        ({"response": {"body": "", "status": True}}, "$.response.status"),
        ({"response": {"body": "", "headers": {"a": 1}}}, "$.response.headers"),
        ({"response": {"body": "", "headers": [["a"]]}}, "$.response.headers"),
        ({"response": {"reads": [{"at_us": -1, "data": ""}]}}, "at_us"),
        ({"response": {"reads": [{"at_us": 1.5, "data": ""}]}}, "at_us"),
        ({"response": {"reads": [{"at_us": True, "data": ""}]}}, "at_us"),
        ({"response": {"reads": [{"at_us": "1", "data": ""}]}}, "at_us"),
        ({"response": {"reads": [{"at_us": None, "data": ""}]}}, "at_us"),
        ({"response": {"reads": [{"at_us": 2**60, "data": ""}]}}, "at_us"),
        ({"response": {"reads": [{"data": ""}]}}, "at_us"),
        ({"response": {"reads": [{"at_us": 1}]}}, "reads[0].data"),
        ({"response": {"reads": [{"at_us": 1, "data": "", "data_b64": ""}]}}, "reads[0].data"),
        (
            {"response": {"reads": [{"at_us": 5, "data": ""}, {"at_us": 4, "data": ""}]}},
            "reads[1].at_us",
        ),
        ({"response": {"body": ""}, "outcome": "exploded"}, "$.outcome"),
        ({"response": {"body": ""}, "outcome": "open"}, "the outcome is open"),
        ({"response": {"body": ""}, "measured_by": "moon"}, "'moon' - at `$.measured_by`"),
        (
            {"response": {"reads": [{"at_us": 1, "data": ""}]}, "measured_by": "nobody"},
            "$.measured_by is nobody",
        ),
        ({"response": {"body": ""}, "started_at": "yesterday"}, "$.started_at"),
        ({"response": {"body": ""}, "started_at": "2026-03-01T12:00:00"}, "$.started_at"),
        ({"response": {"body": ""}, "started_at": "0001-01-01T00:00:00+23:00"}, "$.started_at"),
        ({"response": {"body": ""}, "started_at": "9999-12-31T23:59:59-23:00"}, "$.started_at"),
        ({"response": {"body": ""}, "tags": "a"}, "$.tags"),
        ({"response": {"body": ""}, "tags": [""]}, "$.tags"),
        ({"response": {"body": ""}, "tags": ["a" * 65]}, "$.tags"),
        ({"response": {"body": ""}, "tags": ["a"] * 33}, "$.tags"),
        ({"response": {"body": ""}, "metadata": []}, "$.metadata"),
        ({"response": {"body": ""}, "metadata": {"a": "b" * 64_000}}, "$.metadata"),
        ({"response": {"body": ""}, "idempotency_key": ""}, "$.idempotency_key"),
        ({"response": {"body": ""}, "request": {"cookies": {}}}, "cookies"),
    ],
)
def test_a_member_that_does_not_fit_is_refused_by_name(body: Any, named: str) -> None:
    refusal = refusal_of(dumped(body))
    assert (refusal.status_code, refusal.code) == (422, "invalid_envelope")
    assert named in refusal.message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"response":{"body":""}}x',
        b'{"response":{"body":"\xff"}}',
        b'{"response":{"body":""},"response":{"body":""}}',
        b'{"response":{"body":"","bo\\u0064y":""}}',
        b'{"response":{"body":""},"metadata":{"a":1,"a":1}}',
        b'{"response":{"body":""},"metadata":{"a":NaN}}',
        b'{"response":{"body":""},"metadata":{"a":1e999}}',
        b'{"response":{"body":""},"metadata":{"a":' + b"9" * 5_000 + b"}}",
        rb'{"response":{"body":"\ud800"}}',
        dumped({"response": {"body": ""}, "metadata": NESTED}),
        b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
        b"[" * 100_000,
        dumped({"response": {"body": ""}}).decode().encode("utf-16"),
    ],
)
def test_what_is_not_strict_json_is_malformed(body: bytes) -> None:
    refusal = refusal_of(body)
    assert (refusal.status_code, refusal.code) == (400, "invalid_json")


def test_too_many_values_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_document, "MAX_TOKENS", 100)
    refusal = refusal_of(b'{"metadata":{"a":[' + b"[]," * 200 + b"[]]}}")
    assert (refusal.status_code, refusal.code) == (413, "too_many_values")
    text = json.dumps("[]," * 200)
    assert parse_envelope(b'{"response":{"body":' + text.encode() + b"}}")


@pytest.mark.parametrize(
    ("members", "status", "words"),
    [
        ({"response": {"body": "", "headers": [["a", "b"]] * 10_000}}, 422, "$.response.headers"),
        (
            {"response": {"body": ""}, "request": {"headers": [["a", "b"]] * 10_000}},
            422,
            "$.request",
        ),
        ({"response": {"body": ""}, "metadata": {"a": [{}] * 200_000}}, 422, "$.metadata"),
        ({"response": {"reads": [{"at_us": 1, "data": "x"}] * 250_000}}, 413, "tokens"),
    ],
)
def test_what_repeats_too_often_is_refused_before_anything_is_built(
    members: dict[str, Any], status: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(text: bytes, name: str) -> NoReturn:
        raise AssertionError(name)

    monkeypatch.setattr(exchange_envelope, "strict_value", never)
    refusal = refusal_of(dumped(members))
    assert refusal.status_code == status
    assert words in refusal.message


@pytest.mark.parametrize("one", [lambda n: ["a", "b"], lambda n: [f"a{n}", "b"]])
@pytest.mark.parametrize("side", ["request", "response"])
def test_envelope_has_at_most_so_many_headers(side: str, one: Callable[[int], list[str]]) -> None:
    def envelope(number: int) -> bytes:
        headers = [one(n) for n in range(number)]
        members: dict[str, dict[str, Any]] = {"response": {"body": ""}, "request": {}}
        members[side]["headers"] = headers if headers[0] == headers[-1] else dict(headers)
        return dumped(members)

    assert parse_envelope(envelope(exchange_envelope.MAX_HEADERS))
    refusal = refusal_of(envelope(exchange_envelope.MAX_HEADERS + 1))
    assert (refusal.status_code, refusal.code) == (422, "invalid_envelope")
    assert f"$.{side}.headers" in refusal.message


def test_reads_of_an_envelope_become_the_times_of_the_tape(owner: Person) -> None:
    middle = STREAM.index(b"\n\n") + 2
    body = {
        "response": {
            "headers": {"content-type": "text/event-stream"},
            "reads": [
                {"at_us": 250_000, "data": STREAM[:middle].decode()},
                {"at_us": 900_000, "data_b64": b64(STREAM[middle:])},
            ],
        }
    }
    capture_id = owner.post(CAPTURES, dumped(body), exchange_envelope.MEDIA_TYPE).json["id"]
    inspect_all()
    found = owner.get(f"{CAPTURES}{capture_id}/").json
    assert (found["clock"], found["first_byte_us"], found["duration_us"]) == (
        "recorded",
        250_000,
        900_000,
    )
    tape = owner.get(f"{CAPTURES}{capture_id}/timeline/").json
    assert tape["reads"] == {"at_us": [250_000, 900_000], "byte_end": [middle, len(STREAM)]}
    assert owner.get(f"{CAPTURES}{capture_id}/raw/").body == STREAM


@pytest.mark.parametrize(
    ("archived", "code"), [({"form": 6730}, "newer_form"), ({"sha256": "0" * 64}, "other_bytes")]
)
def test_an_exported_envelope_that_cannot_be_read_here_says_why(
    owner: Person, archived: dict[str, Any], code: str
) -> None:
    capture_id = owner.post(CAPTURES, WHOLE).json["id"]
    [stored] = queries.for_principal(owner.principal).stored([UUID(capture_id)]).values()
    envelope = json.loads(envelope_line(stored))
    envelope["archived"] |= archived
    answer = owner.post(CAPTURES, dumped(envelope), exchange_envelope.MEDIA_TYPE)
    assert (answer.status, answer.code) == (422, code)
    assert Capture.objects.count() == 1


def test_a_refused_envelope_stores_nothing(owner: Person) -> None:
    answer = owner.post(CAPTURES, b'{"team":"x"}', exchange_envelope.MEDIA_TYPE)
    assert answer.status == 422
    assert not Capture.objects.exists()


def test_an_exchange_that_brought_no_byte_is_evidence_too(owner: Person) -> None:
    body = {"response": {"body": ""}, "outcome": "upstream-error"}
    capture_id = owner.post(
        CAPTURES, dumped(body), exchange_envelope.MEDIA_TYPE + "; charset=utf-8"
    ).json["id"]
    inspect_all()
    assert owner.get(f"{CAPTURES}{capture_id}/").json["verdict"] == "upstream-error"


@pytest.mark.parametrize(
    ("response", "stated", "measured_by"),
    [
        ({"reads": [{"at_us": 5, "data": STREAM.decode()}]}, "client", "client"),
        ({"reads": [{"at_us": 5, "data": STREAM.decode()}]}, "proxy", "proxy"),
        ({"reads": [{"at_us": 5, "data": STREAM.decode()}]}, None, "submitted"),
        ({"body": STREAM.decode()}, "client", "nobody"),
        ({"body": STREAM.decode()}, None, "nobody"),
    ],
)
def test_who_measured_the_times_is_kept_with_the_evidence(
    owner: Person, response: dict[str, Any], stated: str | None, measured_by: str
) -> None:
    body = {"response": response} | ({"measured_by": stated} if stated else {})
    capture_id = owner.post(CAPTURES, dumped(body), exchange_envelope.MEDIA_TYPE).json["id"]
    inspect_all()
    found = owner.get(f"{CAPTURES}{capture_id}/").json
    assert found["analysis"]["measured_by"] == measured_by


def test_a_client_that_closed_after_the_end_mark_is_a_fact_of_the_timeline(owner: Person) -> None:
    body = {"response": {"body": STREAM.decode()}, "outcome": "client-cancelled"}
    capture_id = owner.post(CAPTURES, dumped(body), exchange_envelope.MEDIA_TYPE).json["id"]
    inspect_all()
    found = owner.get(f"{CAPTURES}{capture_id}/").json
    assert (found["verdict"], found["result"]) == ("complete", "answered")
    assert found["analysis"]["timeline"]["client_closed_after_bytes"] == len(STREAM)


def test_the_request_is_shown_without_its_credentials(owner: Person) -> None:
    body = {
        "response": {"body": WHOLE.decode()},
        "request": {"method": "POST", "url": "https://u:CANARY@h/v1?key=CANARY", "body": "{}"},
    }
    capture_id = owner.post(CAPTURES, dumped(body), exchange_envelope.MEDIA_TYPE).json["id"]
    found = owner.get(f"{CAPTURES}{capture_id}/")
    assert b"CANARY" not in found.body
    assert found.json["exchange"]["request"]["url"] == "https://h/v1?key=[removed]"
