"""Spans by OTLP over HTTP: in JSON and Protocol Buffers, stored, counted, refused as OTLP wants it."""

import base64
import gzip
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from api.telemetry import traces
from inspector.archive.intake import submission
from inspector.archive.models import Capture
from inspector.core.json.document import BadDocument
from inspector.database.portability import UNAVAILABLE
from inspector.operations.sweeping import Sweep
from inspector.teams.access import INGEST, TELEMETRY
from inspector.teams.keys import create_api_key
from inspector.transfer.telemetry import protobuf, trace_requests
from inspector.transfer.uploads import parked
from inspector.work.models import Work
from tests.core.telemetry_records import CHAT, HELLO, SPAN, TRACE, WHO, document, span
from tests.people import Answer, Person, ask, bearer
from tests.steps import steps

TRACES = "/v1/traces"
JSON, PROTOBUF = "application/json", "application/x-protobuf"
ANSWERED = {**CHAT, **WHO, "gen_ai.output.messages": HELLO, "gen_ai.request.model": "gpt-5.4"}
OTHER_SPAN = "00f067aa0ba902b7"


def export(
    person: Person, body: bytes, kind: str = JSON, headers: dict[str, str] | None = None
) -> Answer:
    key = create_api_key(person.team, "an exporter", [TELEMETRY])
    return ask("POST", TRACES, body, kind, {**bearer(key), **(headers or {})})


def as_json(*spans: dict[str, Any]) -> bytes:
    return json.dumps(document(*spans)).encode()


def as_protobuf(*spans: dict[str, Any]) -> bytes:
    """Ids are bytes there, which the general mapping to JSON writes in base64."""
    return protobuf_of(document(*spans))


def protobuf_of(value: dict[str, Any]) -> bytes:
    text = json.dumps(value)
    for hexadecimal in {TRACE, SPAN, OTHER_SPAN}:
        raw = base64.b64encode(bytes.fromhex(hexadecimal)).decode()
        text = text.replace(f'"{hexadecimal}"', f'"{raw}"')
    return ParseDict(json.loads(text), ExportTraceServiceRequest()).SerializeToString()


def test_a_span_becomes_a_capture_whose_evidence_is_the_span(owner: Person) -> None:
    sent = span(ANSWERED)
    answer = export(owner, as_json(sent))
    assert (answer.status, answer.json) == (200, {})
    capture = Capture.objects.get()
    raw = owner.get(f"/api/v1/captures/{capture.pk}/raw/").body
    assert json.loads(raw) == document(sent)
    assert capture.started_at is not None
    assert capture.started_at.isoformat() == "2026-11-26T11:44:59.084000+00:00"
    assert (capture.metadata["trace"], capture.metadata["span"]) == (TRACE, SPAN)
    assert capture.metadata["otel"] == {
        "service": "shop",
        "scope": "an.instrumentation",
        "duration_ms": 1250.0,
    }


def test_protobuf_says_the_same_as_json_and_is_answered_in_kind(owner: Person) -> None:
    answer = export(owner, as_protobuf(span(ANSWERED)), PROTOBUF)
    assert (answer.status, answer.headers["Content-Type"]) == (200, PROTOBUF)
    assert not ExportTraceServiceResponse.FromString(answer.body).HasField("partial_success")
    raw = owner.get(f"/api/v1/captures/{Capture.objects.get().pk}/raw/").body
    assert json.loads(raw) == document(span(ANSWERED))


def test_a_body_may_be_compressed(owner: Person) -> None:
    coding = {"Content-Encoding": "gzip"}
    assert export(owner, gzip.compress(as_json(span(ANSWERED))), JSON, coding).status == 200
    assert Capture.objects.count() == 1


def test_what_tells_of_no_answer_is_counted_with_its_reason_and_is_no_error(owner: Person) -> None:
    http = span({"http.request.method": "GET"}, spanId=OTHER_SPAN)
    nameless = span(ANSWERED, traceId="0" * 32)
    answer = export(owner, as_json(span(ANSWERED), http, nameless))
    assert answer.status == 200
    partial = answer.json["partialSuccess"]
    assert partial["rejectedSpans"] == "2"
    assert "1 no GenAI span" in partial["errorMessage"]
    assert "1 the span has no valid traceId and spanId" in partial["errorMessage"]
    told = ExportTraceServiceResponse.FromString(export(owner, as_protobuf(http), PROTOBUF).body)
    assert told.partial_success.rejected_spans == 1
    assert told.partial_success.error_message == "no captures: 1 no GenAI span"
    assert Capture.objects.count() == 1


def test_a_span_that_is_exported_again_is_stored_once(owner: Person) -> None:
    for _ in range(2):
        assert export(owner, as_json(span(ANSWERED))).json == {}
    assert Capture.objects.count() == 1


def test_a_span_of_the_same_id_with_other_content_does_not_replace_the_first(owner: Person) -> None:
    export(owner, as_json(span(ANSWERED)))
    answer = export(owner, as_json(span({**CHAT, **WHO})))
    assert answer.json["partialSuccess"]["rejectedSpans"] == "1"
    assert Capture.objects.count() == 1


@pytest.mark.parametrize("encoding", [JSON, PROTOBUF])
def test_more_spans_than_an_sdk_sends_at_once_are_taken_as_they_are_and_cut_later(
    owner: Person, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "SPANS_AT_ONCE", 1)
    http = span({"http.request.method": "GET"}, spanId=OTHER_SPAN)
    body = (as_json if encoding == JSON else as_protobuf)(span(ANSWERED), http)
    key = bearer(create_api_key(owner.team, "a collector", [TELEMETRY]))
    answer = ask("POST", TRACES, body, encoding, key)
    assert answer.status == 200
    assert answer.body == (b"{}" if encoding == JSON else b"")
    assert not Capture.objects.exists()
    path = urlsplit(answer.headers["Location"]).path
    assert ask("GET", path, headers=key).json["state"] == "open"
    Sweep(5.0).to_the_end()
    told = ask("GET", path, headers=key).json
    assert (told["state"], told["entries"], told["captures"]) == ("finished", 2, 1)
    assert told["left"] == [{"number": 2, "code": "passed_over", "message": "no GenAI span"}]
    assert Capture.objects.count() == 1
    assert owner.get(path).status == 403
    assert ask("GET", path[:-1] + "0/", headers=key).status == 404


def test_a_large_request_that_is_none_is_refused_at_once(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "SPANS_AT_ONCE", 0)
    assert export(owner, as_json(span(ANSWERED))[:-1]).status == 400
    assert not Work.objects.exists()


def test_where_too_many_requests_wait_an_exporter_tries_again_later(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "SPANS_AT_ONCE", 0)
    monkeypatch.setattr(parked, "MAX_OPEN_UPLOADS", 1)
    assert export(owner, as_json(span(ANSWERED))).status == 200
    refused = export(owner, as_json(span(ANSWERED, spanId=OTHER_SPAN)))
    assert (refused.status, refused.json["code"]) == (429, 8)
    assert int(refused.headers["Retry-After"]) > 1


def test_teams_do_not_meet_by_a_span(owner: Person, stranger: Person) -> None:
    export(owner, as_json(span(ANSWERED)))
    assert export(stranger, as_json(span(ANSWERED))).json == {}
    assert {capture.team for capture in Capture.objects.all()} == {owner.team, stranger.team}


@pytest.mark.parametrize("kind", [JSON, PROTOBUF])
@pytest.mark.parametrize("body", [b"{", b"\x0a\x7f", b"[]", b'{"resourceSpans":7}'])
def test_what_is_no_trace_request_is_refused_with_a_status(
    owner: Person, kind: str, body: bytes
) -> None:
    answer = export(owner, body, kind)
    assert (answer.status, answer.headers["Content-Type"]) == (400, kind)
    if kind == JSON:
        assert answer.json["code"] == 3
    else:
        assert answer.body.startswith(b"\x08\x03\x12")


def test_another_content_type_is_refused(owner: Person) -> None:
    assert export(owner, b"hello", "text/plain").status == 415


def test_a_key_without_the_scope_is_refused_and_so_is_nobody(owner: Person) -> None:
    key = create_api_key(owner.team, "a sender", [INGEST])
    refused = ask("POST", TRACES, as_json(span(ANSWERED)), JSON, bearer(key))
    assert (refused.status, refused.json["code"]) == (403, 7)
    unknown = ask("POST", TRACES, as_protobuf(span(ANSWERED)), PROTOBUF, {})
    assert (unknown.status, unknown.headers["Content-Type"]) == (401, PROTOBUF)
    assert not Capture.objects.exists()


def test_a_database_that_is_away_lets_the_exporter_try_again(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise UNAVAILABLE[0]

    key = create_api_key(owner.team, "an exporter", [TELEMETRY])
    monkeypatch.setattr(submission, "accept_batch", fail)
    answer = ask("POST", TRACES, as_json(span(ANSWERED)), JSON, bearer(key))
    assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
    assert answer.json["code"] == 14


def test_a_few_bytes_do_not_become_a_million_objects(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protobuf, "MAX_MESSAGES", 100)
    empty_spans = b"\x12\x00" * 60
    inner = b"\x12" + bytes([len(empty_spans)]) + empty_spans
    body = b"\x0a" + bytes([len(inner)]) + inner
    assert export(owner, body, PROTOBUF).status == 200
    assert export(owner, body * 2, PROTOBUF).status == 413


@pytest.mark.parametrize("kind", [JSON, PROTOBUF])
def test_a_large_resource_is_not_repeated_for_hundreds_of_spans(
    owner: Person, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    made = document(span(ANSWERED), span(ANSWERED, spanId=OTHER_SPAN))
    service = {"key": "service.name", "value": {"stringValue": "a" * 600}}
    made["resourceSpans"][0]["resource"] = {"attributes": [service]}
    body = json.dumps(made).encode() if kind == JSON else protobuf_of(made)
    with monkeypatch.context() as bounded:
        bounded.setattr(trace_requests, "MAX_REPEATED_BYTES", 1_000)
        assert export(owner, body, kind).status == 413
    assert export(owner, body, kind).status == 200


def test_fields_without_a_length_are_counted_before_they_are_parsed(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protobuf, "MAX_FIELDS", 100)
    unknown = b"\x28\x01"
    assert export(owner, unknown * 100, PROTOBUF).status == 200
    assert export(owner, unknown * 101, PROTOBUF).status == 413


def test_zeros_are_refused_at_the_first(owner: Person) -> None:
    answer = export(owner, bytes(1_000_000), PROTOBUF)
    assert answer.status == 400
    assert b"a field of the number 0" in answer.body
    assert steps(lambda: refused_as_protobuf(bytes(1_000))) == steps(
        lambda: refused_as_protobuf(bytes(1_000_000))
    )


def refused_as_protobuf(body: bytes) -> None:
    with pytest.raises(BadDocument):
        protobuf.parsed_request(body)
