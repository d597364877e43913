"""What the proxy and its viewer tell each other, in frames (``inspector.proxy.frames``).

The viewer, a child of the proxy, reads what is being recorded, for people who watch a call that
goes on (a watch). ``number`` is that of the question, given by the proxy and used once; everything
about a question names it.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

MAX_DATA_BYTES = 256 * 1024
"""Of a watch's data in one message: the proxy holds no more of it for one watcher."""


class WatchRefusal(StrEnum):
    """Why nothing is to be seen; the code in ``X-Inspector-Error``."""

    INVALID_TOKEN = "invalid_live_token"
    """Not ours, too old, of a session that has ended, or of a capture that may not be seen."""
    TOO_MANY_OF_USER = "too_many_live_views"
    TOO_MANY = "live_view_busy"
    UNAVAILABLE = "live_view_unavailable"
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


class ViewerStopping(msgspec.Struct, frozen=True, tag=True):
    """The proxy ends, and so does the viewer."""


ViewerQuestion = WatchAsked | WatchTaken | WatchEnded | ViewerStopping


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


ViewerMessage = WatchBegun | WatchRefused | WatchData


# -- decoding -------------------------------------------------------------------------------------

_of_proxy = msgspec.msgpack.Decoder(list[ViewerQuestion])
_of_viewer = msgspec.msgpack.Decoder(list[ViewerMessage])


def viewer_questions(payload: bytes) -> list[ViewerQuestion]:
    """Raises a ``msgspec.MsgspecError`` for anything else."""
    return _of_proxy.decode(payload)


def viewer_messages(payload: bytes) -> list[ViewerMessage]:
    """Raises a ``msgspec.MsgspecError`` for anything else."""
    return _of_viewer.decode(payload)
