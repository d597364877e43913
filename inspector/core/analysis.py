"""The analysis of one exchange, and its JSON form."""

import json
from bisect import bisect_left
from enum import StrEnum

import msgspec

from inspector.core.completion import Choice, Result, Usage
from inspector.core.fields.identity import Identity
from inspector.core.fields.service_tier import ServiceTier
from inspector.core.findings import Finding, Where
from inspector.core.formats.fragment import Fragment
from inspector.core.json import Json
from inspector.core.tape import LaneKind
from inspector.core.wire.exchange import Clock, MeasuredBy

ANALYSIS_VERSION = 6
"""Raise it when a rule or a dialect reads the same bytes differently, or when the analysis, or
the list, gains a field that stored captures should have too: all captures are then read again.
"""


class Verdict(StrEnum):
    """How the exchange ended, independent of its HTTP status. The first that applies is used, in
    the order listed here; what our proxy stopped recording is cut off, whatever its part looks
    like. ``other`` is none: the call asked for no completion, so nothing is expected of it.
    ``part`` is neutral: a message, a usage object or a chunk alone, as documents print them.
    """

    IN_PROGRESS = "in-progress"
    OTHER = "other"
    CAPPED = "capped"
    CLIENT_CANCELLED = "client-cancelled"
    UPSTREAM_ERROR = "upstream-error"
    PROVIDER_ERROR = "provider-error"
    NOT_A_RESPONSE = "not-a-response"
    PART = "part"
    ELIDED = "elided"
    UNREADABLE = "unreadable"
    CUT_OFF = "cut-off"
    MISSING_FINISH = "missing-finish"
    MISSING_TERMINATOR = "missing-terminator"
    COMPLETE = "complete"


class SentenceClause(msgspec.Struct, frozen=True):
    """A part of the sentence that explains verdict or result, with the place it is about."""

    text: str
    where: Where = Where()


class StreamCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a stream. ``arrivals`` is the number of distinct times at which chunks arrived,
    ``most_together`` the largest number of chunks that arrived at one time. Without recorded times,
    ``reads``, ``arrivals`` and ``most_together`` are 0.
    """

    reads: int = 0
    events: int = 0
    chunks: int = 0
    comments: int = 0
    arrivals: int = 0
    most_together: int = 0


class Gaps(msgspec.Struct, frozen=True):
    """Microseconds between arrivals of chunks, one cut off among them: median, 95th, maximum."""

    p50: int
    p95: int
    max: int


class Stall(msgspec.Struct, frozen=True):
    """An unusually long gap between two arrivals of chunks, one cut off among them. ``read_before``
    and ``read_after`` are the numbers of the network reads on either side of it.
    """

    start_us: int
    end_us: int
    read_before: int
    read_after: int
    event_after: int | None = None
    """The first event that ``read_after`` completed."""


class Pacing(StrEnum):
    """How evenly the chunks of a stream arrived. ``held-back`` and ``single-read`` mean that
    something on the way buffered them, so their times are not those at which they were sent.
    """

    STEADY = "steady"
    BURSTS = "bursts"
    HELD_BACK = "held-back"
    SINGLE_READ = "single-read"
    UNKNOWN = "unknown"


class LanePace(msgspec.Struct, frozen=True, kw_only=True):
    """How fast one text of the stream grew, from the arrival of its first piece to that of its
    last.

    The rate leaves out the characters of the first arrival, because the time before it is not part
    of the span. ``span_us`` and ``characters_per_second`` are null if everything came in one
    arrival; the rate is also null if the stream was buffered on the way.
    """

    choice: int
    kind: LaneKind
    tool_call: int | None = None
    lane: int | None = None
    """Number of the lane on the tape."""
    length_u16: int
    """Length of the whole text, in UTF-16 units."""
    span_us: int | None = None
    characters_per_second: float | None = None


class OddTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Reads with a missing, negative or contradictory time. No other time is derived from them."""

    reads: int
    first_read: int
    """Number of the first read whose time goes back, is negative or lies centuries ahead."""
    byte_start: int


class ProviderClock(msgspec.Struct, frozen=True, kw_only=True):
    """A time or speed stated by the provider itself. It is never combined with recorded times."""

    name: str
    pointer: str
    """JSON Pointer into the body or, in a stream, into the object of the event."""
    event: int | None = None
    value: str
    """The number as sent, cut after 60 characters."""
    unit: str
    """``s``, ``ms``, ``ns`` or ``tokens/s``."""
    seconds: str | None = None
    """The time in seconds, as decimal text; null for a speed and for an invalid value."""
    fault: str | None = None
    """Why the value is not a valid time or speed; null if it is one."""


class CreatedTimes(msgspec.Struct, frozen=True, kw_only=True):
    """First and last ``created`` of a stream in Unix seconds, and how often the value changed."""

    first: int
    last: int
    changes: int

    @property
    def span_seconds(self) -> int:
        return self.last - self.first


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """Times in microseconds since the request was sent; null if they were not recorded."""

    clock: Clock = Clock.NONE
    first_byte_us: int | None = None
    first_event_us: int | None = None
    first_chunk_us: int | None = None
    first_reasoning_us: int | None = None
    first_content_us: int | None = None
    first_tool_call_us: int | None = None
    first_token_us: int | None = None
    duration_us: int | None = None
    counts: StreamCounts = StreamCounts()
    gaps_us: Gaps | None = None
    stalls: tuple[Stall, ...] = ()
    stall_limit_us: int | None = None
    """Gaps longer than this are stalls; null if there are no gaps."""
    end_silence_us: int | None = None
    """Time from the last chunk to the end marker, else to the last thing, such as a comment."""
    ended_us: int | None = None
    """When the transport ended; null if only arrivals were recorded. It is the duration then."""
    closing_silence_us: int | None = None
    """Time from the last read until the transport ended."""
    pacing: Pacing = Pacing.UNKNOWN
    pacing_reason: str = ""
    lanes: tuple[LanePace, ...] = ()
    output_token_us: float | None = None
    """Average time per output token: from the first token to the last, divided by the number of
    output tokens in usage less one. Null if one of these is unknown or the stream was buffered on
    the way.
    """
    odd_times: OddTimes | None = None
    provider_clocks: tuple[ProviderClock, ...] = ()
    created: CreatedTimes | None = None
    client_closed_after_bytes: int | None = None
    """Bytes that had come when the client closed; null if it did not, or nobody recorded it."""


class Repair(msgspec.Struct, frozen=True):
    """A proposed reading of broken JSON, with the changes it makes. It never replaces what was
    sent. ``is_read``: choices, usage and model of the analysis are read from it, because it only
    undoes what documents do to the JSON that they print.
    """

    steps: tuple[str, ...]
    completion: Json
    is_read: bool = False


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """The result of reading one exchange.

    ``object`` is ``chat.completion``, ``text_completion``, ``error`` or ``unknown``. ``completion``
    is the whole answer in the non-streamed shape of its format, null if none could be read.
    """

    analysis_version: int = ANALYSIS_VERSION
    dialect: str | None
    vendor: str | None
    object: str
    streamed: bool
    verdict: Verdict
    verdict_reason: str
    verdict_clauses: tuple[SentenceClause, ...] = ()
    """``verdict_reason`` in parts, each with the place it is about."""
    result: Result = Result.UNKNOWN
    """The first result among those of the choices and the answer's own."""
    result_reason: str = ""
    result_clauses: tuple[SentenceClause, ...] = ()
    """``result_reason`` in parts, each with the place it is about."""
    measured_by: MeasuredBy = MeasuredBy.NOBODY
    model: str | None = None
    """The name of the model as the response states it."""
    identity: Identity = Identity()
    completion: Json
    choices: tuple[Choice, ...]
    usage: Usage
    service_tier: ServiceTier | None = None
    """Null if the response states no service tier."""
    fragment: Fragment | None = None
    """What the body is instead of a whole completion: ``message``, ``usage`` or ``chunk``."""
    timeline: Timeline
    repair: Repair | None
    findings: tuple[Finding, ...]
    extras: dict[str, Json] = msgspec.field(default_factory=dict)
    """Fields outside the choices that the format does not define, by JSON Pointer."""

    def choice(self, index: int) -> Choice | None:
        """Return the choice with this index, or None. ``choices`` are ordered by index."""
        at = bisect_left(self.choices, index, key=lambda choice: choice.index)
        found = self.choices[at] if at < len(self.choices) else None
        return found if found is not None and found.index == index else None


def analysis_to_json(analysis: Analysis) -> bytes:
    """Encode an analysis. Fields that were not sent are left out, nulls that were sent are kept."""
    try:
        return msgspec.json.encode(analysis)
    except (UnicodeEncodeError, OverflowError):
        # A lone surrogate has no UTF-8: the standard library escapes it, and all else beyond ASCII.
        return json.dumps(msgspec.to_builtins(analysis)).encode()
