"""Makes a submission from a posted exchange, its headers and its query parameters. What is wrong
with a document is raised as ``BadDocument``, like any other refusal.
"""

from dataclasses import replace

from django.http import HttpRequest

from api.api_error import ApiError
from api.body import STORED_LIMIT, media_type, read_body
from api.operation import OCTETS, BodyType, Parameter, choice, header, several
from api.query_params import QueryParams, invalid_parameter
from api.upload_limits import parsing
from inspector.archive.intake import exchange_envelope
from inspector.archive.intake.envelope import parse_envelope
from inspector.archive.intake.limits import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.archive.intake.sent_with import SentWith, check_idempotency_key, distinct_tags
from inspector.archive.intake.submission import Submission
from inspector.core.formats import dialects
from inspector.core.json.document import INVALID_KEY
from inspector.core.wire.exchange import Exchange
from inspector.teams.access import Principal

EXCHANGE: dict[str, BodyType] = {
    exchange_envelope.MEDIA_TYPE: exchange_envelope.Envelope,
    # A body of any other content type is stored as it is.
    OCTETS: bytes,
}
DIALECT = choice("dialect", "wire format to read the body in, instead of detecting it", dialects())
CONTENT_ENCODING = header("Content-Encoding", "gzip, deflate or zstd; decoded before storing")
SENT_WITH: tuple[Parameter, ...] = (
    several("tag", f"up to {MAX_TAGS} tags of 1 to {TAG_CHARACTERS} characters"),
    Parameter("note", f"up to {NOTE_CHARACTERS:,} characters"),
    DIALECT,
    CONTENT_ENCODING,
)
"""What may be said of each entry that is sent."""


def read_arrival(
    request: HttpRequest, principal: Principal, params: QueryParams, limit: str = STORED_LIMIT
) -> Submission:
    """Return the posted exchange, whether it came bare or in an envelope."""
    sent, body = sent_with(params), read_body(request, limit)
    if media_type(request) == exchange_envelope.MEDIA_TYPE:
        with parsing(principal, len(body)):
            arrival = parse_envelope(body)
    else:
        content_type = request.META.get("CONTENT_TYPE") or None
        arrival = Submission(Exchange.of_body(body, content_type))
    arrival = replace(arrival, idempotency_key=_idempotency_key(request, arrival))
    return sent.added_to(arrival, body)


def sent_with(params: QueryParams) -> SentWith:
    """Raise ``ApiError`` for a parameter that could hold of no entry."""
    return SentWith(distinct_tags(params.many("tag")), _note(params), _dialect(params))


def _note(params: QueryParams) -> str:
    note = params.one("note") or ""
    if len(note) > NOTE_CHARACTERS:
        raise invalid_parameter("note", f"is over {NOTE_CHARACTERS} characters")
    return note


def _dialect(params: QueryParams) -> str | None:
    dialect = params.one("dialect")
    if dialect is not None and dialect not in dialects():
        raise invalid_parameter("dialect", f"is none of {', '.join(dialects())}")
    return dialect


def _idempotency_key(request: HttpRequest, arrival: Submission) -> str | None:
    key: str | None = request.META.get("HTTP_IDEMPOTENCY_KEY", arrival.idempotency_key)
    check_idempotency_key(key)
    if arrival.idempotency_key not in (None, key):
        raise ApiError(422, INVALID_KEY, "header and envelope name two keys")
    return key
