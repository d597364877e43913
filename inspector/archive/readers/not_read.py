"""The one exception of a reading that did not take place, and what it is told by."""

from __future__ import annotations

from inspector.archive.readers.message import Cause

_STATUSES = {
    Cause.TOO_LARGE: 413,
    Cause.BROKEN: 422,
    Cause.TOO_MUCH: 429,
    Cause.TOO_LONG: 503,
    Cause.BUSY: 503,
}
_SENTENCES = {
    Cause.TOO_LARGE: "reading this takes more memory than a reading may take here",
    Cause.BROKEN: "reading this ended the process that read it",
    Cause.TOO_MUCH: "more is to be read than may be in this time; Retry-After says when to go on",
    Cause.TOO_LONG: "reading this takes longer than a reading may take here",
    Cause.BUSY: "all readers are busy; ask again",
}
RETRY_SECONDS = 2


class NotRead(Exception):
    """``words`` say more to whoever keeps them with the capture; an answer has the sentence."""

    def __init__(self, cause: Cause, words: str = "", wait_seconds: float = RETRY_SECONDS):
        super().__init__(words or _SENTENCES[cause])
        self.cause = cause
        self.sentence = _SENTENCES[cause]
        self.status = _STATUSES[cause]
        self.retry_after = max(1, round(wait_seconds + 0.5)) if self.status in (429, 503) else None
