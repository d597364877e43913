"""What reading returns: one value, to and from JSON."""

from __future__ import annotations

import json
from bisect import bisect_left
from enum import StrEnum

import msgspec

from inspector.core.completion import Choice, Json, Usage
from inspector.core.exchange import Clock
from inspector.core.findings import Finding, Where
from inspector.core.service_tier import ServiceTier
from inspector.core.tape import LaneKind

ANALYSIS_VERSION = 20
"""Raised whenever a rule or a dialect reads the same bytes differently, and when something new is
to be told of every capture: then all of them are read again.
"""


class Verdict(StrEnum):
    """How the exchange ended, kept apart from the HTTP status; the first that holds."""

    IN_PROGRESS = "in-progress"
    CAPPED = "capped"
    CLIENT_CANCELLED = "client-cancelled"
    UPSTREAM_ERROR = "upstream-error"
    PROVIDER_ERROR = "provider-error"
    NOT_A_RESPONSE = "not-a-response"
    ELIDED = "elided"
    UNREADABLE = "unreadable"
    CUT_OFF = "cut-off"
    MISSING_FINISH = "missing-finish"
    MISSING_TERMINATOR = "missing-terminator"
    COMPLETE = "complete"


class Clause(msgspec.Struct, frozen=True):
    """A part of the sentence that says why a verdict holds, with the place that shows it."""

    text: str
    where: Where = Where()


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """``arrivals`` are the moments at which chunks came; ``most_together`` is how many came in the
    fullest of them. Without times, reads and arrivals are not counted.
    """

    reads: int = 0
    events: int = 0
    chunks: int = 0
    comments: int = 0
    arrivals: int = 0
    most_together: int = 0


class Gaps(msgspec.Struct, frozen=True):
    """The distance between chunks that arrived one after the other, in microseconds."""

    p50: int
    p95: int
    max: int


class Stall(msgspec.Struct, frozen=True):
    """A silence between two reads; the numbers are those of the reads before and after it."""

    start_us: int
    end_us: int
    read_before: int
    read_after: int
    event_after: int | None = None
    """The first event that the read after it completed."""


class Pacing(StrEnum):
    """How the chunks of a stream came; ``held-back`` and ``single-read``: not as they were sent."""

    STEADY = "steady"
    BURSTS = "bursts"
    HELD_BACK = "held-back"
    SINGLE_READ = "single-read"
    UNKNOWN = "unknown"


class LanePace(msgspec.Struct, frozen=True, kw_only=True):
    """How fast one lane grew, from the arrival of its first piece to that of its last.

    The characters of the first arrival came before that time began, so they are not part of the
    rate. Both times are None where one arrival brought everything, the rate also where the stream
    did not come as it was sent.
    """

    choice: int
    kind: LaneKind
    tool_call: int | None = None
    length_u16: int
    """All its characters, in UTF-16 units."""
    span_us: int | None = None
    characters_per_second: float | None = None


class OddTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Reads whose times contradict others, or that no clock gives; nothing is derived from them."""

    reads: int
    first_read: int
    """The first that goes back, is negative or lies centuries ahead."""
    byte_start: int


class ProviderClock(msgspec.Struct, frozen=True, kw_only=True):
    """One time or speed that the provider states itself; never mixed with recorded times."""

    name: str
    pointer: str
    """JSON Pointer inside the body, or inside the object of the event."""
    event: int | None = None
    value: str
    """As the wire spelt it."""
    unit: str
    """``s``, ``ms``, ``ns`` or ``tokens/s``."""
    seconds: str | None = None
    """Decimal text; None for a speed, and for a value that is no time."""
    fault: str | None = None
    """Why the value is no time or speed."""


class Created(msgspec.Struct, frozen=True, kw_only=True):
    """The ``created`` of a stream's chunks: whole seconds of the provider's clock."""

    first: int
    last: int
    changes: int

    @property
    def span_seconds(self) -> int:
        return self.last - self.first


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """Times in microseconds since the request was sent; None where nobody can know them."""

    clock: Clock = Clock.NONE
    first_byte_us: int | None = None
    first_event_us: int | None = None
    first_chunk_us: int | None = None
    first_reasoning_us: int | None = None
    first_content_us: int | None = None
    first_tool_call_us: int | None = None
    first_token_us: int | None = None
    duration_us: int | None = None
    counts: Counts = Counts()
    gaps_us: Gaps | None = None
    stalls: tuple[Stall, ...] = ()
    stall_limit_us: int | None = None
    """A gap that is longer is a stall; None where there is no gap."""
    end_silence_us: int | None = None
    """From the last chunk to the end mark."""
    pacing: Pacing = Pacing.UNKNOWN
    pacing_reason: str = ""
    lanes: tuple[LanePace, ...] = ()
    output_token_us: float | None = None
    """Derived: from the first token to the last, over the output tokens after the first that usage
    counts. None where one of them is unknown or the stream did not come as it was sent.
    """
    odd_times: OddTimes | None = None
    provider_clocks: tuple[ProviderClock, ...] = ()
    created: Created | None = None


class Repair(msgspec.Struct, frozen=True):
    """A reading proposed for broken JSON, with what was changed; never put in its place."""

    steps: tuple[str, ...]
    completion: Json


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that reading says of one exchange (design words; shapes in docs/architecture).

    ``object`` is ``chat.completion``, ``text_completion``, ``error`` or ``unknown``.
    ``completion`` is the object in the dialect's own non-streamed shape, None where none was read.
    """

    analysis_version: int = ANALYSIS_VERSION
    dialect: str | None
    vendor: str | None
    object: str
    streamed: bool
    verdict: Verdict
    verdict_reason: str
    verdict_clauses: tuple[Clause, ...] = ()
    """The reason in parts, each with its place; joined they are the reason. Empty in an analysis
    of a version before 4."""
    model: str | None = None
    """The model that answered, as it was sent."""
    completion: Json
    choices: tuple[Choice, ...]
    usage: Usage
    service_tier: ServiceTier | None = None
    """None where none was stated, and in an analysis of a version before 14."""
    timeline: Timeline
    repair: Repair | None
    findings: tuple[Finding, ...]
    extras: dict[str, Json] = msgspec.field(default_factory=dict)
    """Fields beside the choices that the dialect does not define."""

    def choice(self, index: int) -> Choice | None:
        """The one of this index; choices stand in the order of their indexes."""
        at = bisect_left(self.choices, index, key=lambda choice: choice.index)
        found = self.choices[at] if at < len(self.choices) else None
        return found if found is not None and found.index == index else None


def to_json(analysis: Analysis) -> bytes:
    """One JSON text. Fields that were not sent are left out, nulls that were sent are kept.

    Half of a surrogate pair cannot be UTF-8: where one occurs, the text is ASCII with escapes.
    """
    try:
        return msgspec.json.encode(analysis)
    except (UnicodeEncodeError, OverflowError):
        return json.dumps(msgspec.to_builtins(analysis)).encode()


def from_json(text: bytes) -> Analysis:
    try:
        return msgspec.json.decode(text, type=Analysis)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(text), Analysis)
