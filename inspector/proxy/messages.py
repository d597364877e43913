"""Messages between the proxy and its recorder, in frames (``inspector.proxy.frames``).

The proxy forwards calls and knows no database; the recorder, its child, cleans what it is told,
spools it to disk and stores it.

Times are integer microseconds since the call's request was sent. ``call`` is the id that the
capture will have.
"""

from collections.abc import Sequence
from enum import StrEnum
from uuid import UUID

import msgspec

from inspector.core.decoded_types import built
from inspector.core.wire.exchange import Headers, TransportFault, TransportOutcome


class Refusal(StrEnum):
    """Why a call is not forwarded; the code in ``X-Inspector-Error``."""

    UNKNOWN_KEY = "unknown_key"
    KEY_MAY_NOT_CAPTURE = "key_may_not_capture"
    UNKNOWN_UPSTREAM = "unknown_upstream"
    DIRECTORY_UNAVAILABLE = "directory_unavailable"
    """Keys and upstreams cannot be looked up now, and this pair was not known before."""


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """The rights of a key at an upstream, as they stand in the database."""

    team_id: int
    key_id: int
    upstream: str
    base_url: str
    """Scheme, host and path that every call goes below, without a slash at its end."""
    is_local: bool = False
    """The owner of the machine allowed its address although it is a private one."""
    sites: tuple[str, ...] = ()
    """Origins of pages that may call from a browser, such as ``https://app.example``."""
    sample_percent: int = 100
    """How many of a hundred calls are kept; errors always are."""
    captures_url: str = ""
    """Address of a capture's page up to the capture's id."""
    keeps_other: bool = False
    """Calls that ask for no completion are recorded, too."""
    is_paused: bool = False
    """Calls pass and are not recorded."""
    max_streams: int = 100
    """Calls of this key that may be open at once."""
    session: str = ""
    """Session of what is recorded; empty for none."""


# -- from the proxy -------------------------------------------------------------------------------


class Lookup(msgspec.Struct, frozen=True, tag=True):
    number: int
    key_sha256: str
    upstream: str


class CallBegun(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A call to be recorded. Headers and URL are as the caller sent them, credentials included:
    they never leave the two processes.
    """

    call: UUID
    team_id: int
    key_id: int
    upstream: str
    session: str = ""
    sample_percent: int
    started_at: float
    """Unix time in seconds at which the request began."""
    method: str
    url: str
    """The upstream's address, with the query."""
    headers: Headers
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = {}


class RequestSent(msgspec.Struct, frozen=True, tag=True):
    """The request's body, or its beginning where it is longer than what is kept."""

    call: UUID
    data: bytes
    byte_length: int
    """Length of the whole body."""


class ResponseBegun(msgspec.Struct, frozen=True, tag=True):
    call: UUID
    at_us: int
    status: int
    headers: Headers


class ReadsForwarded(msgspec.Struct, frozen=True, tag=True):
    call: UUID
    at_us: Sequence[int]
    data: Sequence[bytes]


class CallEnded(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    call: UUID
    at_us: int
    outcome: TransportOutcome
    fault: TransportFault | None = None
    byte_length: int
    """Length of the response's body as it was forwarded, which may be more than was kept."""


class CallMissed(msgspec.Struct, frozen=True, tag=True):
    """A call of which no more is told: the recorder was too slow, and nothing waits for it."""

    call: UUID
    team_id: int


class CallsPassed(msgspec.Struct, frozen=True, tag=True):
    """Calls that are not recorded: no completions (``other``), or of a key that is paused."""

    team_id: int
    other: int = 0
    paused: int = 0


class TrySpool(msgspec.Struct, frozen=True, tag=True):
    """Asks a recorder whose spool takes nothing whether it would again."""


class Stopping(msgspec.Struct, frozen=True, tag=True):
    """The proxy ends: nothing comes any more. The recorder stores what it has and ends."""


ProxyMessage = (
    Lookup
    | CallBegun
    | RequestSent
    | ResponseBegun
    | ReadsForwarded
    | CallEnded
    | CallMissed
    | CallsPassed
    | TrySpool
    | Stopping
)


# -- from the recorder ----------------------------------------------------------------------------


class Found(msgspec.Struct, frozen=True, tag=True):
    number: int
    grant: Grant | None = None
    refusal: Refusal | None = None


class Adopted(msgspec.Struct, frozen=True, tag=True):
    """The first message: the calls that lie in the spool, left by an earlier recorder."""

    calls: Sequence[UUID]


class Spooled(msgspec.Struct, frozen=True, tag=True):
    """Calls that ended and are whole on disk."""

    calls: Sequence[UUID]


class Recorded(msgspec.Struct, frozen=True, tag=True):
    """Calls that are stored, as far as they were kept, and have left the spool."""

    calls: Sequence[UUID]


class Omitted(msgspec.Struct, frozen=True, tag=True):
    """Calls that the sample left out."""

    calls: Sequence[UUID]


class Dropped(msgspec.Struct, frozen=True, tag=True):
    """Calls that the recorder could not keep: the spool is full, or its disk."""

    calls: Sequence[UUID]


class SpoolState(msgspec.Struct, frozen=True, tag=True):
    """Sent when it changes. It takes calls until this says otherwise."""

    takes: bool


class StoreState(msgspec.Struct, frozen=True, tag=True):
    """Sent when it changes, a few times a second at most."""

    spool_bytes: int = 0
    """Bytes that calls take of the disk, those that earlier recorders left included."""
    spool_limit_bytes: int = 0
    is_refused: bool = False
    """The database takes no calls, and they wait for it."""


RecorderMessage = Found | Adopted | Spooled | Recorded | Omitted | Dropped | SpoolState | StoreState


# -- decoding -------------------------------------------------------------------------------------

_of_proxy = msgspec.msgpack.Decoder(built(list[ProxyMessage]))
_of_recorder = msgspec.msgpack.Decoder(built(list[RecorderMessage]))


def proxy_messages(payload: bytes) -> list[ProxyMessage]:
    """Raise a ``msgspec.MsgspecError`` for anything else."""
    return _of_proxy.decode(payload)


def recorder_messages(payload: bytes) -> list[RecorderMessage]:
    """Raise a ``msgspec.MsgspecError`` for anything else."""
    return _of_recorder.decode(payload)
