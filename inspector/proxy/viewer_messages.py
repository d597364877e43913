"""What the proxy and its viewer tell each other, in frames (``inspector.proxy.frames``).

The viewer, a child of the proxy, reads what is stored and what is being recorded: for people who
watch a call that goes on (a watch), and for programs that want a stored answer again. ``number`` is
that of the question, given by the proxy and used once; everything about a question names it.

Times are integer microseconds since the call's request was sent.
"""

from __future__ import annotations

from enum import StrEnum
from uuid import UUID

import msgspec

from inspector.core.wire.exchange import Headers
from inspector.replay.plan import PlanHead

MAX_DATA_BYTES = 256 * 1024
"""Of a watch's data in one message: the proxy holds no more of it for one watcher."""
MAX_STEPS_BYTES = 256 * 1024
"""Of an answer in one message."""
MAX_STEPS = 2_000
"""In one message."""
STEP_MESSAGES = 3
"""Of one answer that may be on their way or wait in the proxy."""
MAX_REQUEST_BYTES = 8 * 1024 * 1024
"""Of a request's body that an answer is asked for with."""


class WatchRefusal(StrEnum):
    """Why nothing is to be seen; the code in ``X-Inspector-Error``."""

    INVALID_TOKEN = "invalid_live_token"
    """Not ours, too old, of a session that has ended, or of a capture that may not be seen."""
    TOO_MANY_OF_USER = "too_many_live_views"
    TOO_MANY = "live_view_busy"
    UNAVAILABLE = "live_view_unavailable"
    """The database does not answer, or there is no viewer."""


class AnswerRefusal(StrEnum):
    """Why no stored answer is replayed; the code in ``X-Inspector-Error``."""

    UNKNOWN_KEY = "unknown_key"
    KEY_MAY_NOT_REPLAY = "key_may_not_replay"
    UNKNOWN_CAPTURE = "unknown_capture"
    """Of another team, deleted, still being recorded, or none at all."""
    NO_MATCH = "no_match"
    """Of the answers in a set none fits."""
    NOTHING_TO_REPLAY = "nothing_to_replay"
    """Of a call that got no response."""
    NOT_READ = "capture_not_read"
    """The capture is not inspected, so that where its events stand is not known."""
    INVALID_SET = "invalid_set"
    INVALID_OPTION = "invalid_option"
    TOO_MANY_STREAMS = "too_many_streams"
    TOO_MANY_REQUESTS = "too_many_requests"
    BUSY = "replay_busy"
    UNAVAILABLE = "replay_unavailable"
    """The database does not answer, or there is no viewer."""


# -- from the proxy -------------------------------------------------------------------------------


class WatchAsked(msgspec.Struct, frozen=True, tag=True):
    number: int
    token: str


class WatchTaken(msgspec.Struct, frozen=True, tag=True):
    """The watcher has taken the data that was sent last, and only now may be sent more."""

    number: int


class WatchEnded(msgspec.Struct, frozen=True, tag=True):
    """The watcher has left."""

    number: int


class AnswerAsked(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A program wants a stored answer again. The viewer keeps the question until it is ended."""

    number: int
    key_sha256: str
    target: str
    """As it stands in the path: the id of a capture, or ``set/`` and what says which captures."""
    options: tuple[tuple[str, str], ...]
    """Those of the path."""
    path: str
    """What stands behind the target, with a slash at its beginning; or empty."""
    query: str
    """Without the key."""
    headers: Headers
    """Those with options."""
    origin: str | None
    """Of the page that asks."""
    body: bytes
    """Empty where a capture is named: only answers of a set are chosen by what is asked."""


class AnswerTaken(msgspec.Struct, frozen=True, tag=True):
    """One message of steps was used up: another may come."""

    number: int


class AnswerEnded(msgspec.Struct, frozen=True, tag=True):
    """Nothing more of the answer is wanted: it is complete, or its caller has left."""

    number: int


class ViewerStopping(msgspec.Struct, frozen=True, tag=True):
    """The proxy ends, and so does the viewer."""


ViewerQuestion = (
    WatchAsked | WatchTaken | WatchEnded | AnswerAsked | AnswerTaken | AnswerEnded | ViewerStopping
)


# -- from the viewer ------------------------------------------------------------------------------


class WatchBegun(msgspec.Struct, frozen=True, tag=True):
    number: int
    origin: str
    """Of the page that may watch: scheme, host and port."""


class WatchRefused(msgspec.Struct, frozen=True, tag=True):
    number: int
    code: WatchRefusal


class WatchData(msgspec.Struct, frozen=True, tag=True):
    number: int
    data: bytes
    """Server-sent events as the browser gets them; an event may be cut anywhere."""
    is_last: bool = False


class AnswerBegun(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The steps follow, at most ``STEP_MESSAGES`` messages ahead of what is said to be taken."""

    number: int
    capture: UUID
    head: PlanHead
    origin: str | None
    """Of the page that asks, if the team lists it."""


class AnswerSteps(msgspec.Struct, frozen=True, tag=True):
    number: int
    at_us: list[int]
    data: list[bytes]
    is_last: bool = False


class AnswerRefused(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    number: int
    code: AnswerRefusal
    detail: str | None = None
    """A sentence for whoever asked."""
    origin: str | None = None


ViewerMessage = WatchBegun | WatchRefused | WatchData | AnswerBegun | AnswerSteps | AnswerRefused


# -- decoding -------------------------------------------------------------------------------------

_of_proxy = msgspec.msgpack.Decoder(list[ViewerQuestion])
_of_viewer = msgspec.msgpack.Decoder(list[ViewerMessage])


def viewer_questions(payload: bytes) -> list[ViewerQuestion]:
    """Raises a ``msgspec.MsgspecError`` for anything else."""
    return _of_proxy.decode(payload)


def viewer_messages(payload: bytes) -> list[ViewerMessage]:
    """Raises a ``msgspec.MsgspecError`` for anything else."""
    return _of_viewer.decode(payload)
