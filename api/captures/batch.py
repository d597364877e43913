"""Many envelopes in one request, one per line, each stored or refused on its own.

The only body that may come in chunks. It is never whole in memory, and neither are the results:
they are written aside and sent when the last line was read, because a client that sends everything
before it reads anything would wait for us while we wait for it.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from msgspec import UNSET, Meta, UnsetType
from rest_framework.request import Request

from api.api_error import ApiError, document_error
from api.arrival import SENT_WITH, sent_with
from api.authentication import principal_of
from api.body import BodyCut, BrokenContentEncoding, stream_body
from api.captures.capture_list import StateCode, key_reused, stored_members
from api.cross_origin import TakesPages
from api.endpoint import Endpoint
from api.exception_handler import unavailable_message
from api.operation import NDJSON, OCTETS, ResponseBody, operation
from api.responses import status_message
from api.upload_limits import ParsingTime
from inspector.archive.intake import submission
from inspector.archive.intake.exchange_envelope import Envelope
from inspector.archive.intake.groups import groups_to_commit
from inspector.archive.intake.sent_with import SentWith, submission_of_line
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused, Submission
from inspector.archive.member_types import Url
from inspector.archive.readers.on_demand import charge_read_bytes, owe_read_bytes
from inspector.core.json.document import BadDocument
from inspector.core.json.encoding import encode_json
from inspector.core.wire.batch_lines import BatchLine, LineFault, split_lines
from inspector.database.portability import UNAVAILABLE
from inspector.teams.access import INGEST, Principal

MEMORY_BYTES = 1 << 20
"""Results of some thousand lines, answered with their length; more wait in a file."""
LineOutcome = Accepted | IdempotencyKeyReused | ApiError
_LOGGER = logging.getLogger(__name__)


class LineError(msgspec.Struct, frozen=True):
    """The reason why nothing was stored for a line."""

    code: str
    message: str


class BatchLineResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one line of a batch: the stored capture, or an error."""

    line: Annotated[int, Meta(ge=1)]
    status: int
    id: UUID | UnsetType = UNSET
    state: StateCode | UnsetType = UNSET
    duplicate: bool | UnsetType = UNSET
    url: Url | UnsetType = UNSET
    page: Url | UnsetType = UNSET
    error: LineError | UnsetType = UNSET


class BatchEndpoint(TakesPages, Endpoint):
    @operation(
        "create_capture_batch",
        "store several responses: one envelope per line, one result per line",
        ResponseBody("results in the order of the lines", BatchLineResult, (NDJSON,)),
        *SENT_WITH,
        reads={NDJSON: Envelope, OCTETS: bytes},
    )
    def post(self, request: Request) -> HttpResponseBase:
        params = self.params
        sent = sent_with(params)
        _refuse_key(request._request)
        principal = principal_of(request)
        # Whoever still owes for the last one waits.
        charge_read_bytes(principal.asker, 0)
        store = BatchStore(principal)
        entries = _entries(stream_body(request._request), sent, principal)
        with ExitStack() as stack:
            file = stack.enter_context(SpooledTemporaryFile(MEMORY_BYTES))
            for number, outcome in store.outcomes(entries):
                file.write(
                    encode_json(BatchLineResult(line=number, **result_members(outcome))) + b"\n"
                )
            length = file.tell()
            if not length:
                raise ApiError(400, "body_empty", "there is nothing to keep: the body is empty")
            file.seek(0)
            if length <= MEMORY_BYTES:
                return HttpResponse(file.read(), content_type=NDJSON)
            # From here on it is the response that closes the file.
            stack.pop_all()
            return StreamingHttpResponse(file, content_type=NDJSON)


def _refuse_key(request: HttpRequest) -> None:
    if "HTTP_IDEMPOTENCY_KEY" in request.META:
        message = "each line of a batch has an idempotency_key of its own"
        raise ApiError(422, "invalid_idempotency_key", message)


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """One line: a capture to store, or the reason why nothing is stored for it."""

    number: int
    content: Submission | ApiError
    length: int = 0


class BatchStore:
    """Stores what comes one after the other, in commits of their own, and tells of each."""

    def __init__(self, principal: Principal, scope: str = INGEST) -> None:
        self._principal = principal
        self._scope = scope
        self._unavailable: ApiError | None = None

    def outcomes(self, entries: Iterable[BatchEntry]) -> Iterator[tuple[int, LineOutcome]]:
        """Yield the number of each entry, in their order, with what became of it."""
        for group in groups_to_commit(entries):
            arrivals = [e.content for e in group if isinstance(e.content, Submission)]
            stored = iter(self._stored(arrivals))
            for entry in group:
                refusal = entry.content if isinstance(entry.content, ApiError) else None
                yield entry.number, refusal or next(stored)

    def _stored(self, arrivals: list[Submission]) -> list[LineOutcome]:
        # One commit for all of them; if it fails, each is stored alone.
        try:
            if self._unavailable is None:
                if not arrivals:
                    return []
                return list(submission.accept_batch(self._principal, arrivals, self._scope))
        except UNAVAILABLE as error:
            self._unavailable = _unavailable(error)
        except Exception:
            return [self._stored_alone(arrival) for arrival in arrivals]
        # Stored alone, each would wait for the database in turn. All results report the failure.
        return [self._unavailable for _ in arrivals]

    def _stored_alone(self, arrival: Submission) -> LineOutcome:
        try:
            return self._unavailable or submission.accept(
                self._principal, arrival, scope=self._scope
            )
        except UNAVAILABLE as error:
            self._unavailable = _unavailable(error)
            return self._unavailable
        except Exception:
            _LOGGER.exception("a line of a batch failed")
            return internal_error()


def _entries(pieces: Iterable[bytes], sent: SentWith, principal: Principal) -> Iterator[BatchEntry]:
    last, time, end = 0, ParsingTime(), None
    try:
        for line in split_lines(pieces, settings.MAX_BODY_BYTES):
            last = line.number
            if end is not None:
                # Received to its end all the same: until then a sender may not look for an answer.
                continue
            if (end := _no_further(last, time)) is not None:
                yield BatchEntry(last, end)
                continue
            owe_read_bytes(principal.asker, len(line.text))
            yield BatchEntry(last, _content(line, sent, time), len(line.text))
    except (BodyCut, BrokenContentEncoding, ApiError) as error:
        yield BatchEntry(last + 1, _end_error(error))


def _no_further(line: int, time: ParsingTime) -> ApiError | None:
    """Why no line from this one on is taken."""
    if line > settings.MAX_BATCH_LINES:
        return _too_many_lines()
    return _too_long_to_parse() if time.is_spent else None


def _content(line: BatchLine, sent: SentWith, time: ParsingTime) -> Submission | ApiError:
    if line.fault is not None:
        return _FAULTS[line.fault]()
    if not line.text.strip():
        return ApiError(400, "body_empty", "the line is empty")
    try:
        with time.of_one_part():
            return submission_of_line(line.text, sent)
    except BadDocument as error:
        return document_error(error)
    except ApiError as refusal:
        return refusal
    except Exception:
        _LOGGER.exception("line %d of a batch failed", line.number)
        return internal_error()


def internal_error() -> ApiError:
    return ApiError(500, *status_message(500))


def _unavailable(error: Exception) -> ApiError:
    return ApiError(503, *unavailable_message(error))


def _end_error(error: BodyCut | BrokenContentEncoding | ApiError) -> ApiError:
    """Why nothing was read any further."""
    if isinstance(error, ApiError):
        return error
    code = "body_incomplete" if isinstance(error, BodyCut) else "coding_broken"
    return ApiError(400, code, str(error))


def _too_long() -> ApiError:
    message = f"the line is over {settings.MAX_BODY_BYTES} bytes (MAX_BODY_BYTES)"
    return ApiError(413, "body_too_large", message)


def _unterminated() -> ApiError:
    message = "the last line has no newline at its end: it may be cut, so it is not stored"
    return ApiError(400, "line_unterminated", message)


def _too_many_lines() -> ApiError:
    message = f"no line after {settings.MAX_BATCH_LINES} is taken: send the rest in another batch"
    return ApiError(413, "batch_too_large", message)


def _too_long_to_parse() -> ApiError:
    message = (
        f"the lines before this one took over {settings.PARSE_SECONDS} seconds to take apart"
        " (PARSE_SECONDS): what became of each is told; send this one and those behind it in"
        " another batch"
    )
    return ApiError(413, "too_long_to_parse", message)


def result_members(outcome: LineOutcome) -> dict[str, Any]:
    """Return members of the result of a line of a batch, or of an entry of a file."""
    if isinstance(outcome, IdempotencyKeyReused):
        outcome = key_reused()
    if isinstance(outcome, ApiError):
        error = LineError(outcome.code, outcome.message)
        return {"status": outcome.status_code, "error": error}
    return {"status": 200 if outcome.duplicate else 202, **stored_members(outcome)}


_FAULTS = {LineFault.TOO_LONG: _too_long, LineFault.UNTERMINATED: _unterminated}
