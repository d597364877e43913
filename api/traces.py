"""Spans by OTLP over HTTP, in JSON or Protocol Buffers: those that tell of a model's answer become
captures, each with the span as its evidence.

The answer is OTLP's: what was not stored is counted as rejected, with the reasons, and is no error,
because exporters send an error again. A span that is sent again is stored once.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError
from api.authentication import principal_of
from api.batch import BatchEntry, BatchStore, LineOutcome
from api.body import media_type, read_body
from api.query_params import read_query_params
from api.upload_limits import parsing
from inspector.archive.intake.submission import IdempotencyKeyReused, Submission
from inspector.teams.access import TELEMETRY
from inspector.transfer.files.entries import FoundExchange, PassedOver, UnreadableEntry
from inspector.transfer.json_document import MAX_TOKENS, has_too_many_tokens
from inspector.transfer.telemetry import protobuf
from inspector.transfer.telemetry.span_documents import one_span_documents
from inspector.transfer.telemetry.told_exchange import told_exchange

JSON, PROTOBUF = "application/json", "application/x-protobuf"
KEY_PREFIX = "otel"
MAX_REASONS = 10
CODES = {400: 3, 401: 16, 403: 7, 404: 5, 413: 8, 429: 8, 503: 14}
"""Codes of google.rpc for statuses of HTTP; 13 (internal) and 3 (invalid) for the others."""


class TracesEndpoint(APIView):
    def post(self, request: Request) -> HttpResponse:
        read_query_params(request)
        kind = media_type(request._request)
        if kind not in (JSON, PROTOBUF):
            raise ApiError(415, "unknown_content_type", f"send {PROTOBUF} or {JSON}")
        body = read_body(request._request)
        principal = principal_of(request)
        with parsing(principal, len(body)):
            entries = list(_entries(body if kind == JSON else _json_of(body)))
        outcomes = BatchStore(principal, TELEMETRY).outcomes(_to_store(entries))
        reasons = Counter(_reasons(entries, [outcome for _, outcome in outcomes]))
        return _answer(kind, sum(reasons.values()), _message(reasons))

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        found = super().finalize_response(request, response, *args, **kwargs)
        if found.status_code >= 400:
            _write_status(found, media_type(request._request))
        return found


@dataclass(frozen=True, slots=True)
class _SpanEntry:
    """One span: a capture to store, or the reason why it is none."""

    content: Submission | str
    length: int = 0


def _json_of(body: bytes) -> bytes:
    try:
        return protobuf.json_of_request(body)
    except protobuf.BadProtobuf as error:
        raise ApiError(400, "invalid_protobuf", str(error)) from error
    except protobuf.TooManyMessages as error:
        raise ApiError(413, "too_many_values", str(error)) from error


def _entries(text: bytes) -> Iterator[_SpanEntry]:
    if has_too_many_tokens(text):
        raise ApiError(413, "too_many_values", f"the body has over {MAX_TOKENS} tokens")
    try:
        documents = list(one_span_documents(text))
    except (msgspec.MsgspecError, UnicodeError) as error:
        message = f"the body is no trace request: {str(error)[:300]}"
        raise ApiError(400, "invalid_json", message) from error
    for document in documents:
        yield _entry(document)


def _entry(document: bytes) -> _SpanEntry:
    try:
        found = told_exchange(document)
    except (msgspec.MsgspecError, UnicodeError) as error:
        return _SpanEntry(f"cannot be read: {str(error)[:100]}")
    if isinstance(found, PassedOver | UnreadableEntry):
        return _SpanEntry(found.reason)
    assert isinstance(found, FoundExchange)
    return _SpanEntry(_submission(found, document), len(document))


def _submission(found: FoundExchange, document: bytes) -> Submission:
    return Submission(
        exchange=found.exchange,
        metadata=found.metadata,
        started_at=found.started_at,
        # Exporters repeat what they do not know to have arrived.
        idempotency_key=f"{KEY_PREFIX}:{found.metadata['trace']}:{found.metadata['span']}",
        posted_sha256=hashlib.sha256(document).hexdigest(),
    )


def _to_store(entries: Sequence[_SpanEntry]) -> Iterator[BatchEntry]:
    for number, entry in enumerate(entries):
        if isinstance(entry.content, Submission):
            yield BatchEntry(number, entry.content, entry.length)


def _reasons(entries: Sequence[_SpanEntry], outcomes: Sequence[LineOutcome]) -> Iterator[str]:
    """Why spans are no captures now. Raises ``ApiError`` where all should be sent again."""
    yield from (entry.content for entry in entries if isinstance(entry.content, str))
    for outcome in outcomes:
        if isinstance(outcome, ApiError):
            if outcome.status_code >= 500:
                raise ApiError(503, outcome.code, outcome.message, retry_after=1)
            yield outcome.message
        elif isinstance(outcome, IdempotencyKeyReused):
            yield "stored already with other content"


def _message(reasons: Counter[str]) -> str:
    told = [f"{count} {reason}" for reason, count in reasons.most_common(MAX_REASONS)]
    more = [] if len(reasons) <= MAX_REASONS else ["and others"]
    return f"no captures: {'; '.join([*told, *more])}" if told else ""


def _answer(kind: str, rejected: int, message: str) -> HttpResponse:
    if kind == PROTOBUF:
        return HttpResponse(protobuf.answer_of(rejected, message), content_type=PROTOBUF)
    partial = {"rejectedSpans": str(rejected), "errorMessage": message}
    told = {"partialSuccess": partial} if rejected else {}
    return HttpResponse(json.dumps(told), content_type=JSON)


def _write_status(response: HttpResponse, kind: str) -> None:
    """An error as OTLP has it: a Status in the encoding of the request."""
    error = json.loads(response.content)["error"]
    message = f"{error['message']} ({error['code']})"
    code = CODES.get(response.status_code, 13 if response.status_code >= 500 else 3)
    if kind == PROTOBUF:
        response.content, response["Content-Type"] = protobuf.status_of(code, message), PROTOBUF
    else:
        response.content = json.dumps({"code": code, "message": message})
