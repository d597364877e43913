"""The last step of reading: from the parsed body to the analysis."""

from collections.abc import Mapping

import msgspec
from msgspec import UNSET

from inspector.core import formats, rules, vendors
from inspector.core.analysis import Analysis, Repair, Timeline, Verdict
from inspector.core.answer.result import read_result
from inspector.core.answer.verdict import FAILURE, judge
from inspector.core.completion import Block, Choice, Usage, known
from inspector.core.computed_once import computed_once
from inspector.core.fields.identity import identity_of
from inspector.core.fields.logprobs import Logprobs, read_logprobs
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.assembly import Assembly
from inspector.core.fold.document import built_value
from inspector.core.fold.message import ChoiceFold
from inspector.core.fold.said_again import are_said_again, first_that_repeats
from inspector.core.formats import Dialect, FieldsSeen
from inspector.core.formats.envelope import held_inside
from inspector.core.formats.fragment import Fragment
from inspector.core.formats.usage_table import UsageTable
from inspector.core.json import Json
from inspector.core.json.pointer import escape_step
from inspector.core.limits import Allowance, LimitedItem
from inspector.core.parsed_body import ParsedBody
from inspector.core.pasted import repair
from inspector.core.request.request_params import (
    RequestParams,
    parse_request_body,
    parse_request_params,
)
from inspector.core.rule_context import OPENING_BYTES, RuleContext, TextSaidAgain, has_finish_reason
from inspector.core.tape import TEXT_LANES, LaneMode, Snapshots, Tape
from inspector.core.timing.provider_clocks import read_provider_clocks
from inspector.core.timing.timeline import read_timeline
from inspector.core.tokens.ledger import UsageLedger
from inspector.core.tokens.usage import read_usage
from inspector.core.tool_calls import schema_check
from inspector.core.tool_calls.break_location import locate_breaks
from inspector.core.tool_calls.tool_definitions import ToolDefinitions, read_tool_definitions
from inspector.core.vendors import Vendor
from inspector.core.vendors.vendor_signals import comments_of, vendor_signals_of
from inspector.core.wire.completion_paths import other_call
from inspector.core.wire.content_encoding import ContentCoding
from inspector.core.wire.exchange import Exchange, Read, TransportOutcome, clock_of, measured_by_of
from inspector.core.wire.framing import Framing

STREAMS = frozenset(
    {Framing.EVENT_STREAM, Framing.EVENT_FRAMES, Framing.LINES, Framing.PASTED_STREAM}
)


class Interpretation:
    """Computes dialect, vendor, choices, times, verdict and findings of a parsed body once each."""

    def __init__(
        self,
        about: Exchange,
        reads: list[Read],
        body: bytes,
        settled: ParsedBody,
        coding: ContentCoding | None = None,
    ) -> None:
        self._about = about
        self._reads = reads
        self._body = body
        self._parsed = settled
        self._coding = coding
        self._assembly = settled.assembly

    @computed_once
    def _signs(self) -> FieldsSeen:
        return self._assembly.answer.signs()

    @computed_once
    def dialect(self) -> Dialect | None:
        if self._about.dialect in formats.dialects():
            return formats.dialects()[self._about.dialect or ""]
        if self._parsed.fragment in (Fragment.MESSAGE, Fragment.USAGE):
            return formats.dialects()["openai-chat"]
        found = formats.recognise(self._parsed.signs or self._signs)
        if not found:
            return self._dialect_of_error() or self._dialect_of_repair()
        # Gemini streams one array; a list of answers is no response.
        is_list = self._parsed.framing is Framing.ARRAY
        return None if is_list and not found[0].streams_as_list else found[0]

    def _dialect_of_error(self) -> Dialect | None:
        is_error = self._error_body is not UNSET or _states_error(self._assembly)
        return formats.dialects()["provider-error"] if is_error else None

    @property
    def _error_body(self) -> Json:
        """The body of an error by its status, whatever its shape; UNSET for all others."""
        value = self._parsed.value
        if (self._about.status_code or 0) < FAILURE or not isinstance(value, dict | list):
            return UNSET
        is_known = _states_error(self._assembly) or formats.recognise(self._signs)
        return UNSET if is_known else value

    def _dialect_of_repair(self) -> Dialect | None:
        """Recognise a broken body by its proposed repair."""
        if self.repair is None:
            return None
        held = held_inside(self.repair.completion, b"", formats.family_inside)
        scratch = Assembly()
        scratch.whole(held.value if held else self.repair.completion, b"")
        if _states_error(scratch):
            return formats.dialects()["provider-error"]
        return next(iter(formats.recognise(scratch.answer.signs())), None)

    @computed_once
    def repair(self) -> Repair | None:
        if self._parsed.repair is not None:
            return self._parsed.repair
        return repair.propose_body_repair(self._body) if self._parsed.fault else None

    @computed_once
    def streamed(self) -> bool:
        framing = self._parsed.framing
        if framing is Framing.ARRAY:
            return self.dialect is not None and self.dialect.streams_as_list
        return framing in STREAMS

    @computed_once
    def choices(self) -> tuple[Choice, ...]:
        choices = locate_breaks(self._put_together, self.tape, self._body, streamed=self.streamed)
        schema = self._request_params.answer_schema if self._request_params else None
        if self._tools is None and schema is None:
            return choices
        return schema_check.check_choices(choices, self._tools, schema)

    @computed_once
    def _put_together(self) -> tuple[Choice, ...]:
        dialect = self.dialect
        if dialect is None:
            return ()
        return tuple(
            fold.value(
                dialect.choice_fields,
                dialect.message_fields,
                self._allowance,
                self._assembly.answer.document,
            )
            for fold in self._folds
        )

    @computed_once
    def _allowance(self) -> Allowance:
        # A copy: a response that is still open is fed and interpreted again and again.
        return self._assembly.allowance.copy()

    @computed_once
    def vendor(self) -> Vendor | None:
        answer = self._assembly.answer
        clues = vendor_signals_of(
            self._about,
            answer.stated,
            answer.found_usage.value,
            self._signs,
            self.dialect,
            self.choices,
            comments_of(self._body, self.tape),
        )
        return vendors.detect_vendor(clues)

    @property
    def _usage_table(self) -> UsageTable:
        return formats.usage_table_of(self.dialect.slug if self.dialect else None)

    @computed_once
    def usage(self) -> Usage:
        found = self._assembly.answer.found_usage
        return read_usage(
            found.value,
            found.at,
            found.text,
            found.path,
            self._allowance,
            self.vendor,
            self._usage_table,
            self._assembly.answer.preliminary,
        )

    @property
    def timeline(self) -> Timeline:
        """Return recorded times, with the provider's own times beside them."""
        assembly = self._assembly
        times = read_timeline(
            self.tape, self.usage, streamed=self.streamed, ended_us=self._about.ended_at_us
        )
        clocks = read_provider_clocks(
            assembly.answer.found_usage, assembly.answer.clocks, self.choices
        )
        created = assembly.answer.created if self.streamed else None
        if any(c.blocks and begins_hidden(c.blocks[0]) for c in self.choices):
            times = msgspec.structs.replace(times, output_token_us=None)
        closed = self._about.outcome is TransportOutcome.CLIENT_CANCELLED
        return msgspec.structs.replace(
            times,
            provider_clocks=clocks,
            created=created,
            client_closed_after_bytes=len(self._body) if closed else None,
        )

    @computed_once
    def _logprobs(self) -> tuple[Logprobs, ...]:
        allowance, found = self._allowance, list[Logprobs]()
        for choice in self.choices:
            if known(choice.logprobs):
                read = read_logprobs(choice, allowance.room(LimitedItem.TOKENS))
                allowance.take(LimitedItem.TOKENS, len(read.tokens) + read.tokens_beyond)
                allowance.leave_out(LimitedItem.ALTERNATIVES, read.alternatives_beyond)
                found.append(read)
        return tuple(found)

    @computed_once
    def _extras(self) -> dict[str, Json]:
        """Fields outside the choices that the dialect does not define, and what stands around a
        wrapped answer, by JSON Pointer.
        """
        dialect = self.dialect
        if dialect is None or dialect.object == "error":
            return {}
        top, known = self._assembly.answer.top, dialect.top_fields
        top = {**self._assembly.answer.event_fields, **top}
        unknown = {f"/{escape_step(name)}": it for name, it in top.items() if name not in known}
        extras = self._assembly.answer.around | unknown
        kept = self._allowance.first(LimitedItem.UNKNOWN_FIELDS, extras)
        return {pointer: built_value(value) for pointer, value in kept.items()}

    @computed_once
    def _left_out(self) -> Mapping[LimitedItem, int]:
        # The counts are complete only once everything that is limited was computed.
        for _ in (self.choices, self.usage, self._logprobs, self._extras):
            pass
        return self._allowance.left_out

    @computed_once
    def _request(self) -> Mapping[str, Json] | None:
        return parse_request_body(self._about.request)

    @computed_once
    def _request_params(self) -> RequestParams | None:
        return parse_request_params(self._request)

    @computed_once
    def _tools(self) -> ToolDefinitions | None:
        """Return the tools that the request offered; None if nothing was called."""
        called = any(c.tool_calls or c.function_call for c in self._put_together)
        return read_tool_definitions(self._request) if called else None

    @computed_once
    def _folds(self) -> list[ChoiceFold]:
        """Return the folds of all choices, each marked if its content consists of snapshots."""
        folds = self._assembly.answer.ordered_choices()
        for fold in folds:
            content = fold.texts.get("content")
            pieces = content.parts if content is not None else []
            # Only the dialect knows this, and it is recognised after the fold.
            fold.is_snapshot = self.dialect is not None and self.dialect.is_snapshot(pieces)
        return folds

    @computed_once
    def _snapshot_lanes(self) -> dict[int, bool]:
        """Return the lanes of snapshots; True: unpromised, their pieces repeat what came before."""
        lanes, parts = self._assembly.tape.lanes, self._assembly.tape.parts
        found = {
            number: True
            for number, pieces in enumerate(parts)
            if len(pieces) > 1 and lanes[number].kind in TEXT_LANES and are_said_again(pieces)
        }
        promised = (fold.texts["content"].lane for fold in self._folds if fold.is_snapshot)
        found.update((lane, False) for lane in promised if lane is not None)
        return found

    @property
    def _said_again(self) -> list[int]:
        return [lane for lane, is_again in sorted(self._snapshot_lanes.items()) if is_again]

    def _text_said_again(self, lane: int) -> TextSaidAgain:
        tape, pieces = self.tape, self._assembly.tape.parts[lane]
        of_lane = [row for row, each in enumerate(tape.pieces.lane) if each == lane]
        row = of_lane[first_that_repeats(pieces)]
        places = tape.places[tape.pieces.places[row]]
        event = tape.pieces.event[row] if self.streamed else None
        where = Where(pointer=next(iter(places), None), event=event)
        return TextSaidAgain(tape.lanes[lane], pieces[-2], pieces[-1], where)

    @computed_once
    def tape(self) -> Tape:
        ends: list[int] = []
        position = 0
        for read in self._reads:
            position += len(read.data)
            ends.append(position)
        at_us = [read.at_us or 0 for read in self._reads]
        tape = self._assembly.tape.tape(clock_of(self._reads), at_us, ends)
        snapshots = self._snapshot_lanes
        if not snapshots:
            return tape
        marked = [
            msgspec.structs.replace(lane, mode=LaneMode.SNAPSHOT) if number in snapshots else lane
            for number, lane in enumerate(tape.lanes)
        ]
        return msgspec.structs.replace(tape, lanes=marked)

    @computed_once
    def snapshots(self) -> Snapshots:
        parts = self._assembly.tape.parts
        return {lane: tuple(filter(None, parts[lane])) for lane in sorted(self._snapshot_lanes)}

    @computed_once
    def completion(self) -> Json:
        if self._parsed.value is not UNSET:
            return self._parsed.value
        if self.dialect is None or not self._assembly.chunks:
            return None
        return self._assembly.answer.completion(self.dialect.object)

    @property
    def _is_closed(self) -> bool:
        dialect = self.dialect
        if self._assembly.end_marks or not self.streamed:
            return True
        if dialect is None:
            return False
        signs, vendor = self._signs, self.vendor
        end_mark = vendor.end_mark if vendor else None
        if (end_mark or dialect.end_mark) is formats.EndMark.NONE:
            return True
        is_closed = vendor is not None and bool(vendor.closing_objects & signs.objects)
        return is_closed or self._closing is not None

    @computed_once
    def _closing(self) -> str | None:
        dialect = self.dialect
        return dialect.closing_of(self._signs, self._assembly.answer.top) if dialect else None

    @property
    def _positions(self) -> Mapping[int, int]:
        """Position in the completion's list by choice index: as sent, in a stream by index."""
        if not self.streamed:
            return {fold.index: fold.position for fold in self._folds}
        return {fold.index: position for position, fold in enumerate(self._folds)}

    @property
    def _last_finish(self) -> int | None:
        finished = [fold.finished_at for fold in self._folds if fold.finished_at is not None]
        return max(finished, default=None)

    @property
    def _last_words(self) -> Mapping[int, int]:
        unfinished = [c.index for c in self.choices if not has_finish_reason(c.finish_reason)]
        return self.tape.last_words(unfinished) if unfinished else {}

    @computed_once
    def facts(self) -> RuleContext:
        assembly, dialect = self._assembly, self.dialect
        facts = RuleContext(
            framing=self._parsed.framing,
            ending=self._parsed.ending,
            outcome=self._about.outcome,
            status_code=self._about.status_code,
            content_type=self._about.content_type,
            body_bytes=len(self._body),
            opening=bytes(self._body[:OPENING_BYTES]),
            streamed=self.streamed,
            dialect=dialect,
            is_answer=dialect is not None and dialect.object != "error",
            fragment=self._parsed.fragment,
            vendor=self.vendor,
            signs=self._signs,
            objects=assembly.answer.objects,
            lacking=assembly.answer.lacking if self.streamed else {},
            service_tier=assembly.answer.tier.found,
            notes=assembly.notes,
            top={name: built_value(value) for name, value in assembly.answer.stated.items()},
            choices=self.choices,
            positions=self._positions,
            pending=frozenset(fold.index for fold in self._folds if fold.is_pending),
            request_params=self._request_params,
            tools=self._tools,
            logprobs=self._logprobs,
            usage=self.usage,
            ledger=UsageLedger(self.usage, self.choices, self.vendor, self._usage_table),
            last_event=assembly.last_event,
            timeline=self.timeline,
            events=self.tape.events,
            last_finish=self._last_finish,
            last_words=self._last_words,
            chunks=assembly.chunks,
            end_marks=assembly.end_marks,
            is_closed=self._is_closed,
            closed_by=self._closing if self.streamed else None,
            error_body=self._error_body,
            fault=self._parsed.fault,
            repair=self.repair,
            coding=self._coding,
            last_event_id=self._parsed.last_event_id,
            retry_ms=self._parsed.retry_ms,
            left_out=self._left_out,
            transport_fault=self._about.fault,
            total_bytes=self._about.total_bytes,
            other_call=other_call(self._about),
            answer_at=self.dialect.answer_in(self._parsed.value) if self.dialect else "",
            said_again=tuple(map(self._text_said_again, self._said_again)),
        )
        verdict, clauses = judge(facts)
        # Of what is no response a repair would be an invention.
        repair = None if verdict is Verdict.NOT_A_RESPONSE else facts.repair
        judged = msgspec.structs.replace(
            facts, verdict=verdict, verdict_clauses=clauses, repair=repair
        )
        found = read_result(judged, self.completion)
        return msgspec.structs.replace(
            judged, choices=found.choices, result=found.result, result_clauses=found.clauses
        )

    @computed_once
    def analysis(self) -> Analysis:
        facts, dialect = self.facts, self.dialect
        names = dialect.identity if dialect else {}
        model = facts.top.get(names.get("model", "model"))
        return Analysis(
            dialect=dialect.slug if dialect else None,
            vendor=facts.vendor.slug if facts.vendor else None,
            object=facts.object,
            fragment=facts.fragment,
            streamed=facts.streamed,
            verdict=facts.verdict,
            verdict_reason=facts.verdict_reason,
            verdict_clauses=facts.verdict_clauses,
            result=facts.result,
            result_reason="".join([clause.text for clause in facts.result_clauses]),
            result_clauses=facts.result_clauses,
            measured_by=measured_by_of(self._about.measured_by, facts.timeline.clock),
            model=model if isinstance(model, str) else None,
            identity=identity_of(facts.top, names),
            completion=self.completion,
            choices=facts.choices,
            usage=facts.usage,
            service_tier=self._assembly.answer.tier.found,
            timeline=facts.timeline,
            repair=facts.repair,
            findings=rules.run_rules(facts),
            extras=self._extras,
        )


def _states_error(assembly: Assembly) -> bool:
    return assembly.notes.count(Anomaly.PROVIDER_ERROR) > 0


def begins_hidden(first: Block) -> bool:
    """Return True if an answer begins with a part whose output tokens have no times, such as a call
    that the provider ran: they came before the first token that has one.
    """
    return known(first.pointer) and first.lane is None
