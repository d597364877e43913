"""The proxy's errors where no stored answer is replayed."""

from __future__ import annotations

from dataclasses import replace

from inspector.proxy.own_answers import OwnError
from inspector.proxy.request_body import BodyRefusal
from inspector.proxy.viewer_messages import AnswerRefusal

_AGAIN = ((b"retry-after", b"1"),)
_CLOSE = ((b"connection", b"close"),)

_OF_REFUSALS = {
    AnswerRefusal.UNKNOWN_KEY: (
        401,
        "No such key. It stands where client libraries put that of a provider: Authorization:"
        " Bearer, x-api-key, api-key, x-goog-api-key, ?key=, or X-Inspector-Key.",
    ),
    AnswerRefusal.KEY_MAY_NOT_REPLAY: (403, "This key lacks the scope “replay”."),
    AnswerRefusal.UNKNOWN_CAPTURE: (404, "The team of this key has no such capture."),
    AnswerRefusal.NO_MATCH: (404, "No answer of the set fits."),
    AnswerRefusal.NOTHING_TO_REPLAY: (409, "The call of this capture got no response."),
    AnswerRefusal.NOT_READ: (
        409,
        "The capture is not inspected, so that where its events stand is not known; it can be"
        " replayed without options that go by events.",
    ),
    AnswerRefusal.INVALID_SET: (422, "There is no such set."),
    AnswerRefusal.INVALID_OPTION: (422, "An option cannot be met."),
    AnswerRefusal.TOO_MANY_STREAMS: (429, "This key has as many replays open as it may."),
    AnswerRefusal.TOO_MANY_REQUESTS: (429, "This key asks more often than it may."),
    AnswerRefusal.BUSY: (503, "As much is being replayed as there is room for."),
    AnswerRefusal.UNAVAILABLE: (503, "Stored answers cannot be looked up now."),
}
_TEMPORARY = (429, 503)
OF_BODIES = {
    BodyRefusal.TOO_LARGE: OwnError(
        413, "request_too_large", "The request is larger than what is read of one.", _CLOSE
    ),
    BodyRefusal.TOO_SLOW: OwnError(408, "request_timeout", "The request came too slowly.", _CLOSE),
    BodyRefusal.NO_ROOM: OwnError(
        503, AnswerRefusal.BUSY, _OF_REFUSALS[AnswerRefusal.BUSY][1], (*_AGAIN, *_CLOSE)
    ),
}


def error_of(code: AnswerRefusal, detail: str | None = None) -> OwnError:
    status, message = _OF_REFUSALS[code]
    error = OwnError(status, code, message, _AGAIN if status in _TEMPORARY else ())
    return replace(error, message=detail) if detail else error
