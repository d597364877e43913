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
    reads,
)
from api.openapi.schema import ANYTHING, ref
from inspector.archive.conditions import MANY, ONCE, vocabulary
from inspector.archive.moments import FORMS
from inspector.transfer.envelope import MEDIA_TYPE

TAGS = parameter("tag", "up to 32, each 1 to 64 characters", many=True)
NOTE = parameter("note", "up to 4,000 characters")


def _filters() -> tuple[OpenApiParameter, ...]:
    times = [parameter(name, FORMS) for name in ONCE if name != "q"]
    text = parameter("q", "stands in model, requested model or the provider's id")
    several = [
        parameter(name, "any of them; of tag, all", many=True, enum=_known(name)) for name in MANY
    ]
    return (*several, *times, text)


def _known(name: str) -> list[str] | None:
    found = vocabulary(name)
    return [str(value) for value in found] if found is not None else None


list_captures = operation(
    "list_captures",
    "newest first",
    {200: ("one page", ref("CaptureList")), 304: ("not changed", None)},
    parameters=(
        parameter("before", "cursor: the next page of older ones"),
        parameter("after", "cursor: what came after it, nearest first asked for"),
        parameter("limit", "rows, 200 at most", type={"type": "integer", "minimum": 1}),
        *_filters(),
        IF_NONE_MATCH,
    ),
)
create_capture = operation(
    "create_capture",
    "the response bytes as they are, or one envelope",
    {
        200: ("a resend, or inspected in this request", ref("Accepted")),
        202: ("stored, to be inspected", ref("Accepted")),
    },
    refuses=(409,),
    parameters=(
        TAGS,
        NOTE,
        DIALECT,
        parameter(
            "wait", "seconds, 10 at most: inspect it now", type={"type": "integer", "minimum": 1}
        ),
        header("Idempotency-Key", "1 to 255 characters: a resend stores nothing twice"),
        header("Content-Encoding", "gzip, deflate or zstd: undone before storing"),
    ),
    takes={MEDIA_TYPE: ref("Envelope"), OCTETS: BYTES},
)
create_batch = operation(
    "create_capture_batch",
    "one envelope per line, one result per line",
    {200: ("results in the order of the lines", ref("BatchResult"))},
    parameters=(TAGS, NOTE, DIALECT),
    takes={NDJSON: ref("Envelope")},
    media_types=(NDJSON,),
)
show_capture = reads("show_capture", "summary and analysis", ref("CapturePage"), inspected=False)
annotate_capture = operation(
    "annotate_capture",
    "new tags, a new note",
    {200: ("as they are now", ref("Annotated"))},
    refuses=(404, 412),
    parameters=(CAPTURE_ID, header("If-Match", "only if the capture is still this one")),
    takes={JSON: ref("Annotation")},
)
delete_capture = operation(
    "delete_capture",
    "its content goes at once; a receipt stays",
    {200: ("the receipt", ref("Receipt"))},
    refuses=(404,),
    parameters=(CAPTURE_ID,),
)
raw = reads("download_capture", "the exact bytes", BYTES, (TEXT, OCTETS), inspected=False)
completion = reads("show_capture_completion", "the whole object, from all of its chunks", ANYTHING)
timeline = reads("show_capture_timeline", "the tape: reads, events, lanes, pieces", ref("Tape"))
findings = reads("show_capture_findings", "what the rules say", ref("Findings"))
inspect = operation(
    "inspect",
    "the analysis, without storing anything",
    {200: ("the analysis", ref("Inspected"))},
    parameters=(DIALECT,),
    takes={MEDIA_TYPE: ref("Envelope"), OCTETS: BYTES},
)
