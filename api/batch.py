"""Many envelopes in one request, one per line, each stored or refused on its own.

The only body that may come in chunks. It is never whole in memory, and neither are the results:
they are written aside and sent when the last line was read, because a client that sends everything
before it reads anything would wait for us while we wait for it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api import shapes
from api.answers import encode
from api.arrival import arrival_of_line, require_sound
from api.authentication import principal_of
from api.captures import key_reused
from api.coding import BrokenCoding
from api.errors import plain, unavailable
from api.lines import Fault, Line, lines
from api.openapi.operations import captures as operations
from api.parameters import Parameters, parameters
from api.pieces import Cut, pieces_of
from api.refusal import Refusal
from inspector.archive import intake
from inspector.archive.database import UNAVAILABLE
from inspector.archive.intake import Accepted, Arrival, KeyReused
from inspector.teams.access import Principal

MEDIA_TYPE = "application/x-ndjson"
MEMORY_BYTES = 1 << 20

Result = dict[str, Any]
"""Of one line, without its number."""

_LOGGER = logging.getLogger(__name__)


class CaptureBatch(APIView):
    @operations.create_batch
    def post(self, request: Request) -> HttpResponseBase:
        asked = parameters(request, once=("note", "dialect"), many=("tag",))
        require_sound(asked)
        _refuse_key(request._request)
        batch = _Batch(principal_of(request), asked)
        pieces = pieces_of(request._request)
        with ExitStack() as stack:
            file = stack.enter_context(SpooledTemporaryFile(MEMORY_BYTES))
            for result in batch.results(pieces):
                file.write(encode(result) + b"\n")
            length = file.tell()
            if not length:
                raise Refusal(400, "body_empty", "there is nothing to keep: the body is empty")
            file.seek(0)
            if length <= MEMORY_BYTES:
                return HttpResponse(file.read(), content_type=MEDIA_TYPE)
            # From here on it is the response that closes the file.
            stack.pop_all()
            return StreamingHttpResponse(file, content_type=MEDIA_TYPE)


def _refuse_key(request: HttpRequest) -> None:
    if "HTTP_IDEMPOTENCY_KEY" in request.META:
        message = "each line of a batch has an idempotency_key of its own"
        raise Refusal(422, "invalid_idempotency_key", message)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line: what is to be stored, or its result where that is told without storing."""

    number: int
    said: Arrival | Result
    length: int = 0


class _Batch:
    def __init__(self, principal: Principal, asked: Parameters) -> None:
        self._principal = principal
        self._asked = asked
        self._unavailable: Result | None = None

    def results(self, pieces: Iterable[bytes]) -> Iterator[Result]:
        for entries in _together(self._entries(pieces)):
            stored = iter(self._stored([e.said for e in entries if isinstance(e.said, Arrival)]))
            for entry in entries:
                said = next(stored) if isinstance(entry.said, Arrival) else entry.said
                yield {"line": entry.number, **said}

    def _entries(self, pieces: Iterable[bytes]) -> Iterator[_Entry]:
        last = 0
        try:
            for line in lines(pieces, settings.MAX_BODY_BYTES):
                last = line.number
                if last <= settings.MAX_BATCH_LINES:
                    yield _Entry(last, self._said(line), len(line.text))
                elif last == settings.MAX_BATCH_LINES + 1:
                    yield _Entry(last, _of(_too_many_lines()))
        except (Cut, BrokenCoding, Refusal) as error:
            yield _Entry(last + 1, _of(_end(error)))

    def _said(self, line: Line) -> Arrival | Result:
        if line.fault is not None:
            return _of(_FAULTS[line.fault]())
        try:
            return arrival_of_line(line.text, self._asked)
        except Refusal as refusal:
            return _of(refusal)
        except Exception:
            _LOGGER.exception("line %d of a batch failed", line.number)
            return _of_status(500)

    def _stored(self, arrivals: list[Arrival]) -> list[Result]:
        """By one commit, unless one of them makes that impossible for the others."""
        try:
            if self._unavailable is None and arrivals:
                return [_of_kept(r) for r in intake.accept_together(self._principal, arrivals)]
        except UNAVAILABLE as error:
            self._unavailable = _of_unavailable(error)
        except Exception:
            return [self._stored_alone(arrival) for arrival in arrivals]
        # Each would wait for the database in turn; none of them is lost, for all are told.
        return [self._unavailable or {}] * len(arrivals)

    def _stored_alone(self, arrival: Arrival) -> Result:
        try:
            return self._unavailable or _of_kept(intake.accept(self._principal, arrival))
        except UNAVAILABLE as error:
            self._unavailable = _of_unavailable(error)
            return self._unavailable
        except Exception:
            _LOGGER.exception("a line of a batch failed")
            return _of_status(500)


def _together(entries: Iterable[_Entry]) -> Iterator[list[_Entry]]:
    """As many as one commit takes."""
    group: list[_Entry] = []
    length = 0
    for entry in entries:
        group.append(entry)
        length += entry.length
        if len(group) == settings.BATCH_COMMIT_LINES or length >= settings.BATCH_COMMIT_BYTES:
            yield group
            group, length = [], 0
    yield group


def _of_kept(result: Accepted | KeyReused) -> Result:
    if isinstance(result, KeyReused):
        return _of(key_reused())
    return {"status": 200 if result.duplicate else 202, **shapes.of_accepted(result)}


def _of(refusal: Refusal) -> Result:
    return _of_error(refusal.status_code, refusal.code, refusal.message)


def _of_status(status: int) -> Result:
    return _of_error(status, *plain(status))


def _of_unavailable(error: Exception) -> Result:
    return _of_error(503, *unavailable(error))


def _of_error(status: int, code: str, message: str) -> Result:
    return {"status": status, "error": {"code": code, "message": message}}


def _end(error: Cut | BrokenCoding | Refusal) -> Refusal:
    """Why nothing was read any further."""
    if isinstance(error, Refusal):
        return error
    code = "body_incomplete" if isinstance(error, Cut) else "coding_broken"
    return Refusal(400, code, str(error))


def _too_long() -> Refusal:
    message = f"the line is over {settings.MAX_BODY_BYTES} bytes (MAX_BODY_BYTES)"
    return Refusal(413, "body_too_large", message)


def _unterminated() -> Refusal:
    message = "the last line has no newline at its end: it may be cut, so it is not stored"
    return Refusal(400, "line_unterminated", message)


def _too_many_lines() -> Refusal:
    message = f"no line after {settings.MAX_BATCH_LINES} is taken: send the rest in another batch"
    return Refusal(413, "batch_too_large", message)


_FAULTS = {Fault.TOO_LONG: _too_long, Fault.UNTERMINATED: _unterminated}
