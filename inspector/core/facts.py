"""Everything that verdict and rules may know of an exchange, gathered once, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from inspector.core.analysis import Clause, Repair, Timeline, Verdict
from inspector.core.asked import Asked
from inspector.core.coding import Coding
from inspector.core.completion import Choice, Json, Usage
from inspector.core.dialects.dialect import Dialect, EndMark, Signs
from inspector.core.dialects.vendor import Vendor
from inspector.core.exchange import Clock, Outcome
from inspector.core.findings import Where
from inspector.core.json_text import Fault
from inspector.core.ledger import Ledger
from inspector.core.limits import Capped
from inspector.core.logprobs import Logprobs
from inspector.core.notes import Notes, Oddity
from inspector.core.tape import EventColumns
from inspector.core.tool_calls.offered import Tools

MAX_MESSAGE = 500
"""Characters of an error message that are told; the whole one stands in the evidence."""


OPENING_BYTES = 80


class Framing(StrEnum):
    """How a body is cut into objects."""

    DOCUMENT = "document"
    EVENT_STREAM = "event-stream"
    LINES = "lines"
    ARRAY = "array"
    PASTED = "pasted"
    """One answer inside a text."""
    PASTED_STREAM = "pasted-stream"
    TEXT = "text"
    EMPTY = "empty"


class Ending(StrEnum):
    """How the last bytes stand: at a boundary, in a whole but undispatched event, or cut."""

    CLEAN = "clean"
    WHOLE_TAIL = "whole-tail"
    CUT = "cut"


class Trait(StrEnum):
    """What an answer has or lacks as a whole. Its verdict and what was noted are traits, too."""

    ASKED = "the request is known"
    CALLS = "tools are called"
    LOGPROBS = "there are logprobs"
    TIMES = "times are known"


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    framing: Framing
    ending: Ending
    outcome: Outcome
    status_code: int | None
    content_type: str | None
    body_bytes: int
    opening: bytes
    """The first bytes of the body."""
    streamed: bool
    dialect: Dialect | None
    vendor: Vendor | None
    signs: Signs
    notes: Notes
    top: Mapping[str, Json]
    """The last (of identity the first) value of each top-level field."""
    choices: tuple[Choice, ...]
    positions: Mapping[int, int]
    """Where a choice stands in the completion's list, by its index."""
    asked: Asked | None
    """What the request asks for, where it is known."""
    tools: Tools | None
    """What the request offered, where that is known and something was called."""
    logprobs: tuple[Logprobs, ...]
    """Of the choices that have some."""
    usage: Usage
    ledger: Ledger
    """What the usage says, as counts inside their wholes and as lines that hold or do not."""
    last_event: int
    """The number of the last event that held a chunk."""
    timeline: Timeline
    events: EventColumns
    """To look up the bytes of an event by its number, never to walk."""
    last_finish: int | None
    """The last event of a stream with a finish reason that holds."""
    last_words: Mapping[int, int]
    """The event with the last words of each choice that never finished and said something."""
    chunks: int
    end_marks: int
    is_closed: bool
    """The dialect's end mark was seen, or it has none."""
    fault: Fault | None
    """Why the whole body is not JSON, where it is not."""
    repair: Repair | None
    coding: Coding | None
    """How the body was compressed, where it was."""
    last_event_id: bytes = b""
    retry_ms: bytes | None = None
    left_out: Mapping[Capped, int] = {}
    """What came beyond the limits of one reading, and how much of it."""
    verdict: Verdict = Verdict.COMPLETE
    verdict_clauses: tuple[Clause, ...] = ()
    """Why the verdict holds, in parts."""

    @property
    def verdict_reason(self) -> str:
        return "".join(clause.text for clause in self.verdict_clauses)

    @property
    def traits(self) -> frozenset[str]:
        """As plain texts: members of an enumeration are slow to look up."""
        has = {
            Trait.ASKED: self.asked is not None,
            Trait.CALLS: any(one.tool_calls or one.function_call for one in self.choices),
            Trait.LOGPROBS: bool(self.logprobs),
            Trait.TIMES: self.timeline.clock is not Clock.NONE,
        }
        own = (str(trait) for trait, holds in has.items() if holds)
        return frozenset((*own, *self.notes.kinds, str(self.verdict)))

    @property
    def is_read(self) -> bool:
        """Choices were looked for: the dialect is known and more than recognised."""
        return self.dialect is not None and self.dialect.is_read and self.object != "error"

    @property
    def object(self) -> str:
        return self.dialect.object if self.dialect else "unknown"

    @property
    def finish_reasons(self) -> frozenset[str]:
        """Those that the dialect documents and those that the vendor is known to add."""
        documented = self.dialect.finish_reasons if self.dialect else frozenset()
        return documented.union(self.vendor.finish_reasons if self.vendor else ())

    @property
    def expected_objects(self) -> frozenset[str]:
        """Values of ``object`` that are due: of the dialect, and the vendor's own."""
        names = {self.object, f"{self.object}.chunk"} if self.streamed else {self.object}
        return frozenset(names).union(self.vendor.objects if self.vendor else ())

    @property
    def closing(self) -> str | None:
        """What closed the stream: [DONE], or the vendor's own ``object``."""
        if self.end_marks:
            return EndMark.DONE
        closing = self.vendor.closing_objects if self.vendor else frozenset()
        return min(closing & self.signs.objects, default=None)

    @property
    def provider_error(self) -> tuple[str, Where] | None:
        """What the provider's error object says, and where it stands."""
        note = self.notes.first(Oddity.PROVIDER_ERROR)
        if note is not None:
            return note.detail, note.where
        if self.object != "error":
            return None
        # Its shapes without "error" say what is wrong under one of these names.
        name = next((name for name in ("detail", "message") if name in self.top), "")
        return error_message(self.top), Where(pointer=f"/{name}" if name else "")

    def event_bytes(self, event: int) -> tuple[int, int]:
        """First byte and end (exclusive) of an event."""
        return self.events.byte_start[event], self.events.byte_end[event]

    def pointer_of(self, choice: int) -> str:
        """Where a choice stands in the completion, by its index."""
        return f"/choices/{self.positions.get(choice, choice)}"

    @property
    def has_finish(self) -> bool:
        return any(is_finish(choice.finish_reason) for choice in self.choices)

    @property
    def unfinished(self) -> tuple[int, ...]:
        return tuple(c.index for c in self.choices if not is_finish(c.finish_reason))


def error_message(value: Json) -> str:
    """What an error object says, whatever its shape; it becomes part of a sentence."""
    said = value
    if isinstance(value, Mapping):
        names = ("message", "detail", "title", "code", "type")
        said = next((value[name] for name in names if value.get(name)), None)
    elif not isinstance(value, str):
        said = None
    text = "no message" if said is None else str(said)
    return text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE] + "…"


def is_finish(reason: Json) -> bool:
    """A finish reason that says something: not absent, null or empty."""
    return reason is not msgspec.UNSET and reason is not None and reason != ""
