"""Each operation as its view has it: what it takes, what it answers, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from api.openapi.schemas import ANYTHING, Schema, ref
from inspector.archive.conditions import MANY, ONCE, vocabulary
from inspector.archive.moments import FORMS
from inspector.feedback import conditions
from inspector.transfer.envelope import MEDIA_TYPE
from inspector.usage.alike import BY
from inspector.usage.periods import RANGES

AnyView = TypeVar("AnyView", bound=Callable[..., Any])

JSON = "application/json"
NDJSON = "application/x-ndjson"
FORM = "application/x-www-form-urlencoded"
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
ABOUT = {
    "since": FORMS,
    "until": FORMS,
    "comment": "with one, or without",
    "verified": "by a token of ours, or not",
    "waiting": "for the capture that carries the token, or not",
    "user": "as user_id names them; empty for those without a name",
    "capture": "its id",
    "choice": "its index, as it was sent",
}
NO_KEY: Any = [{}]
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
    keyed: bool = True,
) -> Callable[[AnyView], AnyView]:
    """``answers``: what it says by status, and the schema of it."""
    told: dict[Any, OpenApiResponse] = {}
    for status, (description, schema) in answers.items():
        for place in [(status, each) for each in media_types] if schema else [status]:
            told[place] = OpenApiResponse(schema, description)
    always = ALWAYS if keyed else tuple(status for status in ALWAYS if status != 401)
    for status in sorted({*always, *refuses, *(OF_A_BODY if takes else ())}):
        told[status, JSON] = OpenApiResponse(ref("Error"), ERRORS[status])
    decorate: Callable[[AnyView], AnyView] = extend_schema(
        operation_id=name,
        summary=summary,
        parameters=[*parameters],
        request=takes,
        responses=told,
        tags=[_tag_of(name)],
        auth=None if keyed else NO_KEY,
    )
    return decorate


def _tag_of(name: str) -> str:
    words = {"capture": "captures", "vote": "feedback", "feedback": "feedback"}
    return next((tag for word, tag in words.items() if word in name), "service")


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


def _vote_filters() -> tuple[OpenApiParameter, ...]:
    several = [
        parameter(name, "any of them; of tag, all", many=True, enum=_known_of_votes(name))
        for name in conditions.MANY
    ]
    once = [parameter(name, ABOUT[name], enum=_known_of_votes(name)) for name in conditions.ONCE]
    return (*several, *once)


def _known_of_votes(name: str) -> list[str] | None:
    found = conditions.vocabulary(name)
    return [str(value) for value in found] if found is not None else None


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
VOTE_ID = OpenApiParameter(
    "vote", {"type": "string", "format": "uuid"}, OpenApiParameter.PATH, description="of the vote"
)
CHOICE = OpenApiParameter(
    "choice", {"type": "string"}, OpenApiParameter.PATH, description="its index, as it was sent"
)
# At the root and below a team's address: two names, or a generated client has one call too few.
cast_vote, cast_team_vote = (
    operation(
        name,
        "a vote on a choice, by its token and without a key",
        {200: ("as it stands now: the same again changes nothing", ref("CastVote"))},
        refuses=(404,),
        takes={JSON: ref("Ballot"), FORM: ref("Ballot")},
        keyed=False,
    )
    for name in ("cast_vote", "cast_team_vote")
)
show_vote, show_team_vote = (
    operation(
        name,
        "what this user says now, by the token and without a key",
        {200: ("null where nothing was said", ref("Said"))},
        refuses=(400, 404),
        parameters=(
            OpenApiParameter("feedback_token", description="of a choice", required=True),
            parameter("user_id", "whom the vote named; nobody if left out"),
        ),
        keyed=False,
    )
    for name in ("show_vote", "show_team_vote")
)
create_feedback_token = operation(
    "create_feedback_token",
    "a signed token for one choice",
    {201: ("the token, for the only time it is told", ref("IssuedToken"))},
    refuses=(404, 409),
    parameters=(CAPTURE_ID, CHOICE),
    takes={JSON: ref("WantedToken")},
)
revoke_feedback_token = operation(
    "revoke_feedback_token",
    "one token by its id, or all that were made for the choice up to now",
    {200: ("what was revoked", ref("RevokedToken"))},
    refuses=(404, 409),
    parameters=(CAPTURE_ID, CHOICE, parameter("id", "of the token; all if left out")),
)
list_feedback = operation(
    "list_feedback",
    "live votes, newest first",
    {200: ("one page", ref("VoteList")), 304: ("not changed", None)},
    parameters=(
        parameter("before", "cursor: the next page of older ones"),
        parameter("limit", "rows, 200 at most", type={"type": "integer", "minimum": 1}),
        *_vote_filters(),
        IF_NONE_MATCH,
    ),
)
show_feedback = operation(
    "show_feedback",
    "a vote, what the same user said before, and its triage",
    {200: ("all of it", ref("VotePage")), 304: ("not changed", None)},
    refuses=(404,),
    parameters=(VOTE_ID, IF_NONE_MATCH),
)
triage_feedback = operation(
    "triage_feedback",
    "what the team makes of a vote",
    {200: ("as it is now", ref("Triaged"))},
    refuses=(404,),
    parameters=(VOTE_ID,),
    takes={JSON: ref("TriageStep")},
)
inspect = operation(
    "inspect",
    "the analysis, without storing anything",
    {200: ("the analysis", ref("Inspected"))},
    parameters=(DIALECT,),
    takes={MEDIA_TYPE: ref("Envelope"), OCTETS: BYTES},
)
