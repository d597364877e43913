"""Files of other programs, stored entry by entry: a small one is read before anything is stored, a
larger one is kept as it came and cut into captures later.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, document_error
from api.arrival import sent_with
from api.authentication import principal_of
from api.batch import BatchEntry, BatchStore, LineOutcome
from api.body import read_body
from api.captures import key_reused
from api.query_params import read_query_params
from api.responses import json_response
from api.schemas.addresses import file_upload_url
from api.schemas.captures import FileEntryResult, LineError, StoredFile, stored_entry
from api.upload_limits import parsing
from api.uploads import parked_upload
from inspector.archive.intake.sent_with import SentWith
from inspector.archive.intake.submission import IdempotencyKeyReused
from inspector.core.json.document import BadDocument
from inspector.transfer.entries import PassedOver
from inspector.transfer.files.registry import RecognisedFile
from inspector.transfer.upload_entry import UploadEntry
from inspector.transfer.uploads.files import FILE, file_entries, too_many_entries, uploaded_file

PASSED_OVER = 204
ENTRIES_AT_ONCE = 512
"""Entries of a file that are cut at once; a larger one is cut later."""


class FileEndpoint(APIView):
    def post(self, request: Request) -> HttpResponse:
        sent = sent_with(read_query_params(request, once=("note", "dialect"), many=("tag",)))
        body = read_body(request._request)
        principal = principal_of(request)
        with parsing(principal, len(body)):
            file = uploaded_file(body)
            entries = _few_entries(file, sent)
        if entries is None:
            upload = parked_upload(principal, FILE, body, sent)
            response = json_response(upload, 202)
            response["Location"] = file_upload_url(upload.id)
            return response
        stored = BatchStore(principal).outcomes(_to_store(entries))
        results = [*_passed(entries), *(_result(*outcome) for outcome in stored)]
        results.sort(key=lambda result: result.entry)
        name, form = str(file.kind.name), str(file.kind.body)
        told = StoredFile(kind=name, body=form, unknown=file.kind.unknown, entries=tuple(results))
        return json_response(told)


def _few_entries(file: RecognisedFile, sent: SentWith) -> Sequence[UploadEntry] | None:
    """None for too many to be stored at once. Raises ``BadDocument`` for too many altogether."""
    if file.holds_more_than(settings.MAX_BATCH_LINES):
        raise too_many_entries()
    if file.holds_more_than(ENTRIES_AT_ONCE):
        return None
    # Entries of some kinds are told apart only by reading them.
    entries = list(islice(file_entries(file, sent), ENTRIES_AT_ONCE + 1))
    return None if len(entries) > ENTRIES_AT_ONCE else entries


def _to_store(entries: Sequence[UploadEntry]) -> Iterator[BatchEntry]:
    for entry in entries:
        content = entry.content
        if isinstance(content, BadDocument):
            yield BatchEntry(entry.number, document_error(content))
        elif not isinstance(content, PassedOver):
            yield BatchEntry(entry.number, content, entry.length)


def _passed(entries: Sequence[UploadEntry]) -> Iterator[FileEntryResult]:
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
