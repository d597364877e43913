"""Files of other programs, stored entry by entry: a small one is read before anything is stored, a
larger one is kept as it came and cut into captures later.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated
from uuid import UUID

import msgspec
from django.conf import settings
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from msgspec import UNSET, Meta, UnsetType
from rest_framework.request import Request

from api.addresses import file_upload_url
from api.api_error import document_error
from api.arrival import SENT_WITH, sent_with
from api.authentication import principal_of
from api.body import read_body
from api.captures.batch import BatchEntry, BatchStore, LineError, result_members
from api.captures.capture_list import StateCode
from api.endpoint import Endpoint
from api.operation import OCTETS, ResponseBody, conditional_get, operation
from api.responses import json_response
from api.upload_limits import parsing
from api.uploads import parked_upload, upload_response
from inspector.archive.intake.sent_with import SentWith
from inspector.archive.member_types import Url, codes
from inspector.core.json.document import BadDocument
from inspector.teams.access import INGEST
from inspector.transfer.entries import BodyForm, FileKindName, PassedOver
from inspector.transfer.files.registry import RecognisedFile
from inspector.transfer.upload_entry import UploadEntry
from inspector.transfer.uploads.files import FILE, file_entries, too_many_entries, uploaded_file
from inspector.transfer.uploads.parked import UploadStatus

PASSED_OVER = 204
ENTRIES_AT_ONCE = 512
"""Entries of a file that are cut at once; a larger one is cut later."""


class FileEntryResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one entry of a file: the stored capture, an error, or why it was passed over
    (status 204): it holds no answer of a model.
    """

    entry: Annotated[int, Meta(ge=1)]
    status: int
    id: UUID | UnsetType = UNSET
    state: StateCode | UnsetType = UNSET
    duplicate: bool | UnsetType = UNSET
    url: Url | UnsetType = UNSET
    page: Url | UnsetType = UNSET
    error: LineError | UnsetType = UNSET
    passed_over: str | UnsetType = UNSET


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a file's entries, in their order. `body` is how a body in such a file relates to
    the bytes of the wire, `unknown` what such a file cannot tell.
    """

    kind: Annotated[str, codes(FileKindName)]
    body: Annotated[str, codes(BodyForm)]
    unknown: str
    entries: tuple[FileEntryResult, ...]


class FileEndpoint(Endpoint):
    @operation(
        "create_captures_of_file",
        "store the answers in a file of another program: HAR, outputs of batches, JSONL, "
        "cassettes, flows, logs. What is sent twice is stored once",
        ResponseBody("what became of each entry", StoredFile),
        ResponseBody("kept, to be cut into captures", UploadStatus, status=202),
        *SENT_WITH,
        reads={OCTETS: bytes},
    )
    def post(self, request: Request) -> HttpResponse:
        sent = sent_with(self.params)
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
        stored = (
            FileEntryResult(entry=number, **result_members(outcome))
            for number, outcome in BatchStore(principal).outcomes(_to_store(entries))
        )
        results = [*_passed(entries), *stored]
        results.sort(key=lambda result: result.entry)
        name, form = str(file.kind.name), str(file.kind.body)
        told = StoredFile(kind=name, body=form, unknown=file.kind.unknown, entries=tuple(results))
        return json_response(told)


class FileUploadEndpoint(Endpoint):
    @conditional_get(
        "show_file_upload",
        "get what became of the entries of a file that is cut into captures later",
        ResponseBody("the upload", UploadStatus),
    )
    def get(self, request: Request, upload: str) -> HttpResponseBase:
        return upload_response(request, INGEST, upload)


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
