"""The exception for a reading that did not take place, and its causes."""

from inspector.archive.readers.messages import ReadingErrorCause

_STATUSES = {
    ReadingErrorCause.TOO_LARGE: 413,
    ReadingErrorCause.BROKEN: 422,
    ReadingErrorCause.TOO_MUCH: 429,
    ReadingErrorCause.TOO_LONG: 503,
    ReadingErrorCause.BUSY: 503,
    ReadingErrorCause.DELETED: 410,
    ReadingErrorCause.READ_AGAIN: 503,
}
_SENTENCES = {
    ReadingErrorCause.TOO_LARGE: "reading this takes more memory than a reading may take here",
    ReadingErrorCause.BROKEN: "reading this ended the process that read it",
    ReadingErrorCause.TOO_MUCH: "more is to be read than may be in this time; Retry-After says when"
    " to go on",
    ReadingErrorCause.TOO_LONG: "reading this takes longer than a reading may take here",
    ReadingErrorCause.BUSY: "all readers are busy; ask again",
    ReadingErrorCause.DELETED: "what was sent is deleted; what was counted of it is left",
    ReadingErrorCause.READ_AGAIN: "what was read of this cannot be loaded; it is being read again",
}
RETRY_SECONDS = 2
"""As long as a request waits for a reader itself (`READER_WAIT_SECONDS`)."""


class ReadingError(Exception):
    """A reading did not take place. ``words`` may be kept; responses get the cause's sentence."""

    def __init__(
        self, cause: ReadingErrorCause, words: str = "", wait_seconds: float = RETRY_SECONDS
    ):
        super().__init__(words or _SENTENCES[cause])
        self.cause = cause
        self.sentence = _SENTENCES[cause]
        self.status = _STATUSES[cause]
        self.retry_after = max(1, round(wait_seconds + 0.5)) if self.status in (429, 503) else None
