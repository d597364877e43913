"""The context of verdict and rules: everything they may know of an exchange, frozen."""

from collections.abc import Iterable, Mapping, Set

import msgspec
from msgspec import UNSET

from inspector.core.analysis import Repair, SentenceClause, Timeline, Verdict
from inspector.core.completion import Choice, Result, Usage, is_index
from inspector.core.fields.finish_reasons import finish_meanings
from inspector.core.fields.logprobs import Logprobs
from inspector.core.fields.service_tier import ServiceTier
from inspector.core.findings import Where, shorten
from inspector.core.fold.anomalies import Anomaly, AnomalyNotes
from inspector.core.fold.message import NO_REASONS
from inspector.core.formats import names_of
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen
from inspector.core.formats.fragment import Fragment
from inspector.core.formats.places import AnswerPlaces, places_of
from inspector.core.formats.provider_error import error_message
from inspector.core.formats.usage_table import CHAT_USAGE, UsageTable
from inspector.core.json import Json
from inspector.core.json.parser import JsonFault
from inspector.core.limits import LimitedItem
from inspector.core.request.request_params import RequestParams
from inspector.core.tape import EventColumns, Lane
from inspector.core.tokens.ledger import UsageLedger
from inspector.core.tool_calls.tool_definitions import ToolDefinitions
from inspector.core.vendors.vendor import Vendor
from inspector.core.wire.content_encoding import ContentCoding
from inspector.core.wire.exchange import Clock, TransportFault, TransportOutcome
from inspector.core.wire.framing import Ending, Framing

OPENING_BYTES = 512
"""Bytes by which a page of HTML or a login form shows itself."""
EVENT_STREAM = "text/event-stream"
MAX_QUOTED = 300
"""Characters of a provider's message that a sentence quotes."""


_FAILED_OUTCOMES = (TransportOutcome.UPSTREAM_ERROR, TransportOutcome.UPSTREAM_TIMEOUT)


class TextSaidAgain(msgspec.Struct, frozen=True):
    """A text whose pieces say again what came before. ``where`` is the first that does."""

    lane: Lane
    before: str
    last: str
    where: Where


class RuleContext(msgspec.Struct, frozen=True, kw_only=True):
    framing: Framing
    ending: Ending
    outcome: TransportOutcome
    status_code: int | None
    content_type: str | None
    body_bytes: int
    opening: bytes
    """The first ``OPENING_BYTES`` bytes of the body."""
    streamed: bool
    dialect: Dialect | None
    is_answer: bool
    """The body is an answer in a known format, and no error object."""
    fragment: Fragment | None
    """The part of a completion that the body is; None if it is more or something else."""
    vendor: Vendor | None
    signs: FieldsSeen
    objects: Mapping[str, int]
    """First event of each value of ``object``."""
    lacking: Mapping[str, int]
    """First chunk without it, for each field that belongs into every chunk. For streams only."""
    service_tier: ServiceTier | None
    notes: AnomalyNotes
    top: Mapping[str, Json]
    """The last value of each top-level field; of identity fields (``id`` ...) the first."""
    choices: tuple[Choice, ...]
    positions: Mapping[int, int]
    """Position of each choice in the completion's list, by its index."""
    pending: frozenset[int]
    """Choices whose state says that they are not there yet."""
    request_params: RequestParams | None
    """Parameters of the request, None if the request is not known."""
    tools: ToolDefinitions | None
    """Tools that the request offered; None if that is unknown or nothing was called."""
    logprobs: tuple[Logprobs, ...]
    """One for each choice that has logprobs."""
    usage: Usage
    ledger: UsageLedger
    """Token counts as a tree, and the sums that must hold between them."""
    last_event: int
    """Number of the last event that held a chunk."""
    timeline: Timeline
    events: EventColumns
    """For looking up the bytes of one event. Rules must not walk it: a stream has many events."""
    last_finish: int | None
    """Number of the last event with a finish reason, None if there is none. For streams only."""
    last_words: Mapping[int, int]
    """The last event with content, by index of each choice with content and no finish reason."""
    chunks: int
    end_marks: int
    is_closed: bool
    closed_by: str | None
    """Name of what closed the stream in a format that has no ``[DONE]``."""
    """The stream ended as its dialect or vendor ends streams, or they define no end."""
    error_body: Json = UNSET
    """The body that came with the status of a failure in no known shape; else UNSET."""
    fault: JsonFault | None
    """Why the body, or the first chunk of a stream, is not JSON; None if it is."""
    repair: Repair | None
    coding: ContentCoding | None
    """The content coding that was undone, None if the body was not compressed."""
    last_event_id: bytes = b""
    retry_ms: bytes | None = None
    left_out: Mapping[LimitedItem, int] = {}
    """How many items lay beyond the limits of one reading, by kind."""
    transport_fault: TransportFault | None = None
    """Fault that kept our proxy from carrying the call to its end."""
    total_bytes: int | None = None
    """Length of the whole body, if only its beginning was kept."""
    other_call: str | None = None
    """Method and path of a call to an address that our proxy asks for no completion."""
    answer_at: str = ""
    """JSON Pointer to the answer in a whole body that wraps it."""
    said_again: tuple[TextSaidAgain, ...] = ()
    verdict: Verdict = Verdict.COMPLETE
    verdict_clauses: tuple[SentenceClause, ...] = ()
    """Why the verdict applies, in parts."""
    result: Result = Result.UNKNOWN
    result_clauses: tuple[SentenceClause, ...] = ()
    """Why the result applies, in parts."""

    @property
    def verdict_reason(self) -> str:
        return "".join([clause.text for clause in self.verdict_clauses])

    @property
    def is_upstream_failure(self) -> bool:
        """True if the connection to the upstream failed, or none came about."""
        if self.outcome is TransportOutcome.CLIENT_CANCELLED:
            return False
        return self.transport_fault is not None or self.outcome in _FAILED_OUTCOMES

    @property
    def is_recording_cut(self) -> bool:
        """True if only our part of the response is cut, not the response."""
        is_cut = self.verdict is Verdict.CUT_OFF
        return is_cut and self.outcome is TransportOutcome.RECORDER_STOPPED

    @property
    def format_names(self) -> frozenset[str]:
        """The dialect, those it is based on, and the one by whose table it was read."""
        return names_of(self.dialect.slug if self.dialect else None)

    @property
    def usage_table(self) -> UsageTable:
        """The places at which the format has its token counts."""
        return self.dialect.usage if self.dialect else CHAT_USAGE

    @property
    def is_sent(self) -> bool:
        """True if a server is known to have sent the body so: somebody recorded how it came, or
        says that it is a stream of events. A text that a person pasted is all else.
        """
        media_type = (self.content_type or "").partition(";")[0].strip().lower()
        is_recorded = self.status_code is not None or self.timeline.clock is not Clock.NONE
        return is_recorded or media_type == EVENT_STREAM

    @property
    def is_told(self) -> bool:
        """True if a program tells of the answer, so that what it leaves out may have been there."""
        return self.dialect is not None and self.dialect.is_told

    @property
    def is_other(self) -> bool:
        """True if no completion was asked for, and none came."""
        return self.other_call is not None and not self.is_answer

    @property
    def has_envelope(self) -> bool:
        """True if there is an answer or a chunk with choices, and not only a part of one."""
        is_part = self.fragment in (Fragment.MESSAGE, Fragment.USAGE)
        return self.is_answer and bool(self.choices) and not is_part

    @property
    def object(self) -> str:
        return self.dialect.object if self.dialect else "unknown"

    @property
    def finish_reasons(self) -> frozenset[str]:
        """Finish reasons that the dialect documents or the vendor is known to add."""
        documented: Iterable[str] = self.dialect.finish_reasons if self.dialect else ()
        if self.is_told:
            # Programs pass on what the provider spelt, whatever its format.
            documented = finish_meanings()
        return frozenset(documented).union(self.vendor.finish_reasons if self.vendor else ())

    def finish_name(self, choice: Choice) -> Json:
        """Return the finish reason of a choice, by its name if the format knows its number."""
        reason: Json = choice.finish_reason
        numbers = self.dialect.finish_numbers if self.dialect else {}
        return numbers.get(reason, reason) if is_index(reason) else reason

    @property
    def block_reason(self) -> tuple[str, Where] | None:
        """Why the prompt was blocked, before an answer was made or while it came, with its place;
        else None.
        """
        if self.dialect is None or not self.dialect.block_reason or self.has_finish:
            return None
        for name, member in self.dialect.block_reason:
            around = self.top.get(name)
            reason = around.get(member) if isinstance(around, dict) else None
            if not reason or not isinstance(around, dict):
                continue
            number = self.dialect.block_reasons.get(reason) if is_index(reason) else None
            event = self.last_event if self.streamed else None
            where = Where(pointer=f"{self.answer_at}/{name}/{member}", event=event)
            said = around.get(f"{member}Message") or around.get(f"{member}_message")
            return with_name(reason, number) + quoted(said), where
        return None

    @property
    def expected_objects(self) -> Set[str]:
        """Values of ``object`` that the dialect defines or the vendor is known to send."""
        return (
            self.vendor.objects | {self.expected_object} if self.vendor else {self.expected_object}
        )

    @property
    def expected_object(self) -> str:
        """Value of ``object`` that the dialect defines for this answer, or for its chunks."""
        is_chunk = self.streamed or self.fragment is Fragment.CHUNK
        chunk = self.dialect.chunk_object if self.dialect and is_chunk else ""
        return chunk or self.object

    @property
    def closing(self) -> str | None:
        """The end of the stream: ``[DONE]``, or what the format or vendor ends it with."""
        if self.end_marks:
            return EndMark.DONE
        if self.closed_by:
            return self.closed_by
        closing = self.vendor.closing_objects if self.vendor else frozenset()
        return min(closing & self.signs.objects, default=None)

    @property
    def provider_error(self) -> tuple[str, Where] | None:
        """Message and place of the provider's error object, None if there is none."""
        note = self.notes.first(Anomaly.PROVIDER_ERROR)
        if note is not None:
            return note.detail, note.where
        if self.error_body is not UNSET:
            return error_message(self.error_body), Where(pointer="")
        if self.object != "error":
            return None
        # A broken body: its error is that of the repair.
        stated = self.repair.completion if self.repair is not None else self.top
        return error_message(stated), Where(pointer="")

    def event_bytes(self, event: int) -> tuple[int, int]:
        """Byte range of an event, end exclusive."""
        return self.events.byte_start[event], self.events.byte_end[event]

    def pointer_of(self, choice: int) -> str:
        """JSON Pointer to the choice with this index."""
        return self._of_choice(self.places.choice, choice)

    @property
    def choices_pointer(self) -> str:
        """JSON Pointer to the choices, "" if the answer is its only choice."""
        around = self.places.choice.rpartition("/*")[0]
        return f"{self.answer_at}{around}"

    def finish_pointer_of(self, choice: int) -> str:
        """JSON Pointer to why the choice with this index ended."""
        return self._of_choice(self.places.finish, choice)

    def call_pointer_of(self, choice: Choice, position: int) -> str:
        """JSON Pointer to a call of a choice, by its position in ``tool_calls``."""
        pointer = choice.tool_calls[position].pointer
        if pointer is not UNSET:
            return pointer
        return f"{self.pointer_of(choice.index)}/message/tool_calls/{position}"

    @property
    def places(self) -> AnswerPlaces:
        return places_of(self.dialect.slug if self.dialect else None)

    def _of_choice(self, pattern: str, choice: int) -> str:
        inside = pattern.replace("*", str(self.positions.get(choice, choice)), 1)
        return f"{self.answer_at}{inside}"

    @property
    def has_finish(self) -> bool:
        return any(has_finish_reason(choice.finish_reason) for choice in self.choices)

    @property
    def is_done(self) -> bool:
        """True if the answer says that it ended, perhaps without a finish reason."""
        name = self.dialect.done if self.dialect else ""
        return bool(name) and self.top.get(name) is True

    @property
    def unfinished(self) -> tuple[int, ...]:
        if self.is_done:
            return ()
        return tuple(c.index for c in self.choices if not has_finish_reason(c.finish_reason))


def with_name(reason: Json, name: Json) -> str:
    """Return a reason as it is spelt, and its name if it is a number with one."""
    spelt = shorten(reason)
    return spelt if name is None or name == reason else f"{spelt}, {name}"


def quoted(message: Json) -> str:
    """Return the provider's explanation of a reason, quoted to end a sentence; "" without one."""
    words = " ".join(message.split()) if isinstance(message, str) else ""
    return f": “{shorten(words, MAX_QUOTED)}”" if words else ""


def has_finish_reason(reason: Json) -> bool:
    """Return True unless the finish reason is absent, null, empty or the text "null"."""
    return reason is not msgspec.UNSET and reason is not None and reason not in NO_REASONS
