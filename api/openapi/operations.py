"""Each operation as its view has it: what it takes, what it answers, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from api.openapi.schemas import ANYTHING, Schema, ref
from inspector.archive.conditions import MANY, ONCE, vocabulary
from inspector.archive.moments import FORMS
from inspector.transfer.envelope import MEDIA_TYPE
from inspector.usage.alike import BY
from inspector.usage.periods import RANGES

AnyView = TypeVar("AnyView", bound=Callable[..., Any])

JSON = "application/json"
NDJSON = "application/x-ndjson"
TEXT, OCTETS = "text/plain", "application/octet-stream"
BYTES: Schema = {"type": "string", "format": "binary"}

ERRORS = {
    400: "malformed: cut short, empty, broken coding, invalid JSON",
    401: "no key, or one that is not in use",
    403: "the key lacks the scope",
    404: "not there, or not yours",
    408: "the body did not come in time",
    409: "in conflict with what is there; with Retry-After where waiting helps",
    411: "send a Content-Length",
    412: "changed since the If-Match",
    413: "over a limit",
    415: "a form, or a coding that is not understood",
    422: "an unknown name or value; the message names it",
    429: "too many requests; Retry-After says when to go on",
    503: "cannot be done now; Retry-After says when to send it again",
}
ALWAYS = (401, 403, 422, 429, 503)
OF_A_BODY = (400, 408, 411, 413, 415)


def parameter(name: str, description: str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, description=description, **more)


def header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, location=OpenApiParameter.HEADER, description=description)


CAPTURE_ID = OpenApiParameter(
    "id", {"type": "string", "format": "uuid"}, OpenApiParameter.PATH, description="of the capture"
)
IF_NONE_MATCH = header("If-None-Match", "ETags that the client has: 304 where one still holds")
TAGS = parameter("tag", "up to 32, each 1 to 64 characters", many=True)
NOTE = parameter("note", "up to 4,000 characters")
DIALECT = parameter(
    "dialect", "read it as this, whatever it looks like", enum=vocabulary("dialect")
)


def operation(
    name: str,
    summary: str,
    answers: dict[int, tuple[str, Schema | None]],
    *,
    refuses: tuple[int, ...] = (),
    parameters: tuple[OpenApiParameter, ...] = (),
    takes: dict[str, Schema] | None = None,
    media_types: tuple[str, ...] = (JSON,),
) -> Callable[[AnyView], AnyView]:
    """``answers``: what it says by status, and the schema of it."""
    told: dict[Any, OpenApiResponse] = {}
    for status, (description, schema) in answers.items():
        for place in [(status, each) for each in media_types] if schema else [status]:
            told[place] = OpenApiResponse(schema, description)
    for status in sorted({*ALWAYS, *refuses, *(OF_A_BODY if takes else ())}):
        told[status, JSON] = OpenApiResponse(ref("Error"), ERRORS[status])
    decorate: Callable[[AnyView], AnyView] = extend_schema(
        operation_id=name,
        summary=summary,
        parameters=[*parameters],
        request=takes,
        responses=told,
        tags=["captures" if "capture" in name else "service"],
    )
    return decorate


def reads(
    name: str,
    summary: str,
    schema: Schema,
    media_types: tuple[str, ...] = (JSON,),
    inspected: bool = True,
) -> Callable[[AnyView], AnyView]:
    """A GET of one capture or a part of it."""
    return operation(
        name,
        summary,
        {200: (summary, schema), 304: ("not changed", None)},
        refuses=(404, 409) if inspected else (404,),
        parameters=(CAPTURE_ID, IF_NONE_MATCH),
        media_types=media_types,
    )


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


root = operation(
    "describe_service", "limits, versions, filters, links", {200: ("all of it", ref("Root"))}
)
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
PERIOD = (
    parameter("range", "up to now", enum=[*RANGES]),
    parameter("since", f"in place of range: {FORMS}"),
    parameter("until", f"{FORMS}; now if left out"),
)
show_usage = operation(
    "show_usage",
    "sums over the captures of a period, by group",
    {200: ("each measure with how many captures told it", ref("PeriodUsage"))},
    parameters=(
        parameter("by", "what to group by", enum=[*BY]),
        *PERIOD,
    ),
)
show_drift = operation(
    "show_drift",
    "what changed in what models answered, newest first, each change with its test",
    {200: ("changes that began in the period", ref("PeriodDrift"))},
    parameters=PERIOD,
)
show_prices = operation(
    "show_prices",
    "the price table, and the rates that the team pays in place of it, the newest first",
    {200: ("rates in USD per million tokens, of a request USD each", ref("Prices"))},
)
inspect = operation(
    "inspect",
    "the analysis, without storing anything",
    {200: ("the analysis", ref("Inspected"))},
    parameters=(DIALECT,),
    takes={MEDIA_TYPE: ref("Envelope"), OCTETS: BYTES},
)
