"""Files of other programs, stored entry by entry. The file is read before anything is stored,
within ``PARSE_SECONDS``: whoever has larger ones sends them by the command, which reads them.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import msgspec
from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError
from api.arrival import check_shared_params, read_arrival_line
from api.authentication import principal_of
from api.batch import BatchEntry, BatchStore, LineOutcome, internal_error
from api.body import read_body
from api.captures import key_reused
from api.query_params import QueryParams, read_query_params
from api.responses import json_response
from api.schemas.captures import FileEntryResult, LineError, StoredFile, stored_entry
from api.upload_limits import parsing
from inspector.archive.intake.submission import IdempotencyKeyReused, Submission
from inspector.transfer.files.entries import (
    FileEntry,
    FoundEnvelope,
    FoundExchange,
    PassedOver,
    UnreadableEntry,
)
from inspector.transfer.files.envelope_lines import NoEnvelope, envelope_line
from inspector.transfer.files.registry import FileKind, recognised
from inspector.transfer.files.source import FileSource

PASSED_OVER = 204

_LOGGER = logging.getLogger(__name__)


class FileEndpoint(APIView):
    def post(self, request: Request) -> HttpResponse:
        params = read_query_params(request, once=("note", "dialect"), many=("tag",))
        check_shared_params(params)
        body = read_body(request._request)
        principal = principal_of(request)
        with parsing(principal, len(body)):
            kind, entries = _read_file(body, params)
        stored = BatchStore(principal).outcomes(_to_store(entries))
        results = [*_passed(entries), *(_result(*outcome) for outcome in stored)]
        results.sort(key=lambda result: result.entry)
        name, form = str(kind.name), str(kind.body)
        told = StoredFile(kind=name, body=form, unknown=kind.unknown, entries=tuple(results))
        return json_response(told)


@dataclass(frozen=True, slots=True)
class _ReadEntry:
    number: int
    content: Submission | ApiError | PassedOver
    length: int = 0


def _read_file(body: bytes, params: QueryParams) -> tuple[FileKind, Sequence[_ReadEntry]]:
    file = recognised(FileSource.of_stream("", io.BytesIO(body)), opens_gzip=False)
    most = settings.MAX_BATCH_LINES
    if file.holds_more_than(most):
        raise _too_many_entries()
    found = islice(file.entries(), most + 1)
    entries = [_read_entry(entry, file.kind, params) for entry in found]
    if len(entries) > most:
        raise _too_many_entries()
    return file.kind, entries


def _read_entry(entry: FileEntry, kind: FileKind, params: QueryParams) -> _ReadEntry:
    content = entry.content
    if isinstance(content, PassedOver):
        return _ReadEntry(entry.number, content)
    if isinstance(content, UnreadableEntry):
        return _ReadEntry(entry.number, ApiError(422, "unreadable_entry", content.reason))
    try:
        # Without its end, as lines of a batch are: a key may not come with other bytes.
        line = envelope_line(content, kind).removesuffix(b"\n")
        arrival = _with_credentials(read_arrival_line(line, params), content)
        return _ReadEntry(entry.number, arrival, len(line))
    except NoEnvelope as error:
        return _ReadEntry(entry.number, ApiError(422, "unreadable_entry", str(error)))
    except ApiError as refusal:
        return _ReadEntry(entry.number, refusal)
    except Exception:
        _LOGGER.exception("entry %d of a file failed", entry.number)
        return _ReadEntry(entry.number, internal_error())


def _with_credentials(arrival: Submission, content: FoundExchange | FoundEnvelope) -> Submission:
    """The line has none, so that its key is the one that the command makes; storing removes them
    and counts what it removed.
    """
    if isinstance(content, FoundEnvelope):
        return arrival
    exchange = msgspec.structs.replace(content.exchange, dialect=arrival.exchange.dialect)
    return replace(arrival, exchange=exchange)


def _to_store(entries: Sequence[_ReadEntry]) -> Iterator[BatchEntry]:
    for entry in entries:
        if not isinstance(entry.content, PassedOver):
            yield BatchEntry(entry.number, entry.content, entry.length)


def _passed(entries: Sequence[_ReadEntry]) -> Iterator[FileEntryResult]:
    for entry in entries:
        if isinstance(entry.content, PassedOver):
            yield FileEntryResult(
                entry=entry.number, status=PASSED_OVER, passed_over=entry.content.reason
            )


def _result(number: int, outcome: LineOutcome) -> FileEntryResult:
    if isinstance(outcome, IdempotencyKeyReused):
        outcome = key_reused()
    if isinstance(outcome, ApiError):
        error = LineError(outcome.code, outcome.message)
        return FileEntryResult(entry=number, status=outcome.status_code, error=error)
    return stored_entry(number, 200 if outcome.duplicate else 202, outcome)


def _too_many_entries() -> ApiError:
    message = (
        f"the file has over {settings.MAX_BATCH_LINES} entries: send it in smaller files, or by the"
        " command"
    )
    return ApiError(413, "batch_too_large", message)
