"""Captures: sent, listed, shown in parts, annotated, deleted; and bytes that are only read."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter

from api.openapi.operation import (
    BYTES,
    CAPTURE_ID,
    DIALECT,
    IF_NONE_MATCH,
    JSON,
    NDJSON,
    OCTETS,
    TEXT,
    header,
    operation,
    parameter,
    read_operation,
)
from api.openapi.schema import ANY_OBJECT, ref
from inspector.archive.listing.filter_params import (
    REPEATABLE_FILTERS,
    SINGLE_FILTERS,
    allowed_values,
)
from inspector.archive.listing.time_input import TIME_FORMATS
from inspector.transfer.envelope import MEDIA_TYPE

TAGS = parameter("tag", "up to 32, each 1 to 64 characters", many=True)
NOTE = parameter("note", "up to 4,000 characters")


def _filters() -> tuple[OpenApiParameter, ...]:
    times = [parameter(name, TIME_FORMATS) for name in SINGLE_FILTERS if name != "q"]
    text = parameter("q", "part of the model, the requested model or the provider's id")
    several = [
        parameter(
            name,
            "may be repeated: matches any of the values (tag: all of them)",
            many=True,
            enum=_known(name),
        )
        for name in REPEATABLE_FILTERS
    ]
    return (*several, *times, text)


def _known(name: str) -> list[str] | None:
    found = allowed_values(name)
    return [str(value) for value in found] if found is not None else None


list_captures = operation(
    "list_captures",
    "captures, newest first",
    {200: ("one page", ref("CaptureList")), 304: ("not changed", None)},
    parameters=(
        parameter("before", "cursor: captures older than this, newest first"),
        parameter("after", "cursor: captures newer than this, those nearest to it"),
        parameter("limit", "number of rows, at most 200", type={"type": "integer", "minimum": 1}),
        *_filters(),
        IF_NONE_MATCH,
    ),
)
create_capture = operation(
    "create_capture",
    "store a response: its bytes as they are, or one envelope",
    {
        200: ("already stored (a resend), or inspected within this request", ref("Accepted")),
        202: ("stored, to be inspected", ref("Accepted")),
    },
    refuses=(409,),
    parameters=(
        TAGS,
        NOTE,
        DIALECT,
        parameter(
            "wait",
            "inspect now and wait up to this many seconds, at most 10",
            type={"type": "integer", "minimum": 1},
        ),
        header(
            "Idempotency-Key", "1 to 255 characters; a resend with the same key is not stored again"
        ),
        header("Content-Encoding", "gzip, deflate or zstd; decoded before storing"),
    ),
    takes={MEDIA_TYPE: ref("Envelope"), OCTETS: BYTES},
)
create_batch = operation(
    "create_capture_batch",
    "store several responses: one envelope per line, one result per line",
    {200: ("results in the order of the lines", ref("BatchResult"))},
    parameters=(TAGS, NOTE, DIALECT),
    takes={NDJSON: ref("Envelope")},
    media_types=(NDJSON,),
)
show_capture = read_operation(
    "show_capture", "summary and analysis", ref("CapturePage"), inspected=False
)
annotate_capture = operation(
    "annotate_capture",
    "replace the tags or the note",
    {200: ("the tags and the note as stored now", ref("Annotated"))},
    refuses=(404, 412),
    parameters=(CAPTURE_ID, header("If-Match", "ETag: change the capture only if it is unchanged")),
    takes={JSON: ref("Annotation")},
)
delete_capture = operation(
    "delete_capture",
    "delete the content at once; a receipt remains",
    {200: ("the receipt", ref("Receipt"))},
    refuses=(404,),
    parameters=(CAPTURE_ID,),
)
raw = read_operation("download_capture", "the exact bytes", BYTES, (TEXT, OCTETS), inspected=False)
completion = read_operation(
    "show_capture_completion", "the assembled completion object", ANY_OBJECT
)
timeline = read_operation(
    "show_capture_timeline", "the tape: reads, events, lanes, pieces", ref("Tape")
)
findings = read_operation("show_capture_findings", "the findings", ref("Findings"))
inspect = operation(
    "inspect",
    "the analysis, without storing anything",
    {200: ("the analysis", ref("Inspected"))},
    parameters=(DIALECT,),
    takes={MEDIA_TYPE: ref("Envelope"), OCTETS: BYTES},
)
