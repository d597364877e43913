"""Captures: stored, listed, returned in parts, annotated, deleted; and responses only analysed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from drf_spectacular.utils import OpenApiParameter

from api.operations.operation import (
    CAPTURE_ID,
    IF_NONE_MATCH,
    JSON,
    NDJSON,
    OCTETS,
    TEXT,
    UNCHANGED,
    BodyType,
    Endpoint,
    Operation,
    ResponseBody,
    header,
    limit,
    parameter,
    repeatable,
    single,
)
from api.schemas.addresses import V1
from api.schemas.captures import (
    AcceptedCapture,
    AnnotationChanges,
    BatchLineResult,
    CaptureDetail,
    CaptureFindings,
    CaptureListBody,
    StoredAnnotation,
)
from inspector.archive.deletion import DeletionReceipt
from inspector.archive.intake.submission import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.archive.intake.wait_for_inspection import MAX_WAIT_SECONDS
from inspector.archive.listing.filter_params import (
    REPEATABLE_FILTERS,
    SINGLE_FILTERS,
    allowed_values,
)
from inspector.archive.listing.time_input import TIME_FORMATS
from inspector.archive.queries import MAX_PAGE_ROWS
from inspector.archive.readers.response_json import SubmittedAnalysis
from inspector.core.tape import Tape
from inspector.teams.access import DELETE, INGEST, READ
from inspector.transfer.envelope import IDEMPOTENCY_KEY_CHARACTERS, MEDIA_TYPE, Envelope

TAG, INSPECTION_TAG = "captures", "inspection"
TAGS = parameter("tag", f"up to {MAX_TAGS} tags of 1 to {TAG_CHARACTERS} characters", many=True)
NOTE = parameter("note", f"up to {NOTE_CHARACTERS:,} characters")
DIALECT = single(
    "dialect",
    "wire format to read the body in, instead of detecting it",
    allowed_values("dialect"),
)
CONTENT_ENCODING = header("Content-Encoding", "gzip, deflate or zstd; decoded before storing")
TEXT_FILTERS = {"q": "text in the model, the requested model or the provider's id"}
# A body of any other content type is stored as it is.
EXCHANGE: dict[str, BodyType] = {MEDIA_TYPE: Envelope, OCTETS: bytes}


def _filters() -> Iterator[OpenApiParameter]:
    yield from (repeatable(name, allowed_values(name)) for name in REPEATABLE_FILTERS)
    yield from (parameter(name, TEXT_FILTERS.get(name, TIME_FORMATS)) for name in SINGLE_FILTERS)


def _get(name: str, summary: str, body: ResponseBody, *errors: int) -> Operation:
    """A GET of one capture or of a part of it."""
    return Operation(
        "GET",
        name,
        READ,
        summary,
        {200: body, 304: UNCHANGED},
        errors=(404, *errors),
        parameters=(CAPTURE_ID, IF_NONE_MATCH),
    )


CAPTURES = Endpoint(
    "api:captures",
    f"{V1}captures/",
    TAG,
    (
        Operation(
            "GET",
            "list_captures",
            READ,
            "list captures, newest first",
            {200: ResponseBody("one page", CaptureListBody), 304: UNCHANGED},
            parameters=(
                parameter("before", "cursor: captures older than this, newest first"),
                parameter("after", "cursor: captures newer than this, the nearest to it"),
                limit(MAX_PAGE_ROWS),
                *_filters(),
                IF_NONE_MATCH,
            ),
        ),
        Operation(
            "POST",
            "create_capture",
            INGEST,
            "store a response: its bytes as they are, or one exchange envelope",
            {
                200: ResponseBody("already stored (a resend), or inspected now", AcceptedCapture),
                202: ResponseBody("stored, to be inspected", AcceptedCapture),
            },
            errors=(409,),
            parameters=(
                TAGS,
                NOTE,
                DIALECT,
                parameter(
                    "wait",
                    f"inspect now, and wait up to this many seconds, at most {MAX_WAIT_SECONDS}",
                    type={"type": "integer", "minimum": 1},
                ),
                header(
                    "Idempotency-Key",
                    f"1 to {IDEMPOTENCY_KEY_CHARACTERS} characters; a resend with the same key is"
                    " not stored again",
                ),
                CONTENT_ENCODING,
            ),
            body=EXCHANGE,
        ),
    ),
)
BATCH = Endpoint(
    "api:batch",
    f"{V1}captures/batch/",
    TAG,
    (
        Operation(
            "POST",
            "create_capture_batch",
            INGEST,
            "store several responses: one envelope per line, one result per line",
            {200: ResponseBody("results in the order of the lines", BatchLineResult, (NDJSON,))},
            parameters=(TAGS, NOTE, DIALECT, CONTENT_ENCODING),
            body={NDJSON: Envelope},
        ),
    ),
)
CAPTURE = Endpoint(
    "api:capture",
    f"{V1}captures/<str:capture_id>/",
    TAG,
    (
        _get(
            "show_capture",
            "get a capture",
            ResponseBody("the capture with its analysis", CaptureDetail),
        ),
        Operation(
            "PATCH",
            "annotate_capture",
            INGEST,
            "replace the tags or the note",
            {200: ResponseBody("tags and note as stored now", StoredAnnotation)},
            errors=(404, 412),
            parameters=(
                CAPTURE_ID,
                header("If-Match", "ETag: change the capture only if it is current"),
            ),
            body={JSON: AnnotationChanges},
        ),
        Operation(
            "DELETE",
            "delete_capture",
            DELETE,
            "delete the content at once and keep a receipt",
            {200: ResponseBody("the receipt", DeletionReceipt)},
            errors=(404,),
            parameters=(CAPTURE_ID,),
        ),
    ),
)
RAW = Endpoint(
    "api:raw",
    f"{V1}captures/<str:capture_id>/raw/",
    TAG,
    (
        _get(
            "download_capture",
            "download the exact bytes",
            ResponseBody("the exact bytes", bytes, (TEXT, OCTETS)),
        ),
    ),
)
COMPLETION = Endpoint(
    "api:completion",
    f"{V1}captures/<str:capture_id>/completion/",
    TAG,
    (
        _get(
            "show_capture_completion",
            "get the assembled completion object",
            ResponseBody("the object in the non-streamed shape of its format", dict[str, Any]),
            409,
            413,
        ),
    ),
)
TIMELINE = Endpoint(
    "api:timeline",
    f"{V1}captures/<str:capture_id>/timeline/",
    TAG,
    (
        _get(
            "show_capture_timeline",
            "get the tape: reads, events, lanes, pieces",
            ResponseBody("the tape", Tape),
            409,
            413,
        ),
    ),
)
FINDINGS = Endpoint(
    "api:findings",
    f"{V1}captures/<str:capture_id>/findings/",
    TAG,
    (
        _get(
            "show_capture_findings",
            "list the findings",
            ResponseBody("the findings", CaptureFindings),
            409,
            413,
        ),
    ),
)
INSPECT = Endpoint(
    "api:inspect",
    f"{V1}inspect/",
    INSPECTION_TAG,
    (
        Operation(
            "POST",
            "inspect",
            INGEST,
            "analyse a response without storing it",
            {200: ResponseBody("the analysis", SubmittedAnalysis)},
            parameters=(DIALECT, CONTENT_ENCODING),
            body=EXCHANGE,
        ),
    ),
)
ENDPOINTS = (CAPTURES, BATCH, CAPTURE, RAW, COMPLETION, TIMELINE, FINDINGS, INSPECT)
