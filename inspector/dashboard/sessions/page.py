"""One session as the template shows it: its calls turn by turn with running sums, and one turn in
full.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from inspector.core.request.changes import ChangeKind, ItemChange, PromptChanges
from inspector.core.request.outline import LargePart, PromptOutline, Section
from inspector.dashboard.sessions.hops import AnswerHops, answer_hops
from inspector.dashboard.sessions.words import (
    change_words,
    cost_words,
    miss_words,
    money,
    span,
    whole_money,
)
from inspector.dashboard.text.section_words import SECTIONS
from inspector.formatting.humanize import plural, share, short_number, size
from inspector.formatting.prompt_kinds import KIND_WORDS
from inspector.formatting.verdicts import GOOD_RESULTS, result_severity
from inspector.sessions.queries import PAGE_TURNS, Miss, PromptShare, SessionPage, TurnRow
from inspector.sessions.turn_rows import AnswerCall

MAX_CALLS = 4
"""Calls of one answer in its row."""
MAX_LISTED = 5
"""Missed caches and additions above the calls."""


@dataclass(frozen=True, slots=True)
class CallCell:
    """A tool that was called; ``result`` is the number of the turn that has what it returned."""

    name: str
    result: int | None


@dataclass(frozen=True, slots=True)
class TurnCells:
    id: UUID
    number: int
    is_chosen: bool
    thread: int
    sign: str
    """Kind of a turn that is an attempt or another capture of one answer; else empty."""
    after: str
    model: str
    result: str
    severity: str
    changes: str
    added: str
    context: str
    cached: str
    tokens: str
    cost: str
    total_cost: str
    miss: str
    is_miss_due: bool
    miss_cost: str
    calls: tuple[CallCell, ...]
    calls_left_out: int


@dataclass(frozen=True, slots=True)
class ChosenTurn:
    """``why_none`` says why no changes are known; empty where they are."""

    turn: TurnCells
    cost: str
    """Cost paid, and for what; empty where no usage is known."""
    before: int | None
    why_none: str
    changes: tuple[tuple[ItemChange, str, UUID], ...]
    """Each in words, with the capture whose prompt has it."""
    changes_left_out: int
    parameters: tuple[str, ...]
    departs: str
    fill: Sequence[PromptShare]
    fill_bytes: int
    largest: tuple[tuple[LargePart, str], ...]
    """Each in words."""
    hops: AnswerHops | None


def headline(page: SessionPage) -> str:
    row = page.row
    words = [plural(row.turns, "call"), f"in {span(row.duration_us)}"]
    threads = f", {row.lanes} threads" if row.lanes > 1 else ""
    cost = f", {told}" if (told := cost_words(row.cost)) else ""
    return f"{' '.join(words)}{threads}{cost}"


def about_cache(page: SessionPage) -> str:
    """Call that paid again without need; empty where none did."""
    row = page.row
    if not row.missed:
        return ""
    ticks = row.missed_ticks
    cost = f", {whole_money(int(ticks))} more than from the cache" if ticks else ""
    return f"{plural(row.missed, 'call')} missed the cache without need{cost}"


def missed_calls(page: SessionPage) -> list[tuple[TurnRow, Miss]]:
    """Return those that missed the cache without need, the most expensive first."""
    missed = [(turn, turn.miss) for turn in page.turns if turn.miss and not turn.miss.is_due]
    missed.sort(key=lambda pair: (-(pair[1].ticks or 0), -pair[1].tokens, pair[0].number))
    return missed[:MAX_LISTED]


def largest_additions(page: SessionPage) -> list[tuple[ItemChange, TurnRow]]:
    """Items that calls put into their prompts, the largest first."""
    added = [
        (item, turn)
        for turn in page.turns
        if turn.changes and not turn.attempt_of and not turn.hop_of
        for item in turn.changes.items
        if item.change in (ChangeKind.APPENDED, ChangeKind.INSERTED, ChangeKind.EDITED)
    ]
    added.sort(key=lambda pair: (-pair[0].size.bytes, pair[1].number))
    return added[:MAX_LISTED]


# -- the turns -------------------------------------------------------------------------------------


def turn_cells(page: SessionPage, chosen: UUID | None) -> Iterator[TurnCells]:
    numbers = {turn.id: turn.number for turn in page.turns}
    start = min((turn.call.start_us for turn in page.turns), default=0)
    tokens = cost = 0
    for turn in page.turns:
        if turn.hop_of is None:
            tokens += (turn.prompt_tokens or 0) + (turn.completion_tokens or 0)
            cost += turn.cost_ticks or 0
        calls = [_call_cell(turn, each, page, numbers) for each in turn.call.calls[:MAX_CALLS]]
        miss = turn.miss
        yield TurnCells(
            id=turn.id,
            number=turn.number,
            is_chosen=turn.id == chosen,
            thread=turn.lane + 1,
            sign=_sign(turn, numbers),
            after=f"+{span(turn.call.start_us - start)}",
            model=turn.model or "",
            result=turn.finish_reasons[0] if turn.finish_reasons else turn.result,
            severity="" if turn.result in GOOD_RESULTS else result_severity(turn.result),
            changes=_changes(turn),
            added=size(turn.changes.added.bytes) if turn.changes else "",
            context="" if turn.prompt_tokens is None else short_number(turn.prompt_tokens),
            cached=_cached(turn),
            tokens=short_number(tokens),
            cost=money(turn.cost_ticks),
            total_cost=whole_money(cost) if cost else "",
            miss=miss_words(miss) if miss else "",
            is_miss_due=bool(miss and miss.is_due),
            miss_cost=money(miss.ticks) if miss and miss.ticks else "",
            calls=tuple(calls),
            calls_left_out=len(turn.call.calls) - len(calls),
        )


def _call_cell(
    turn: TurnRow, call: AnswerCall, page: SessionPage, numbers: dict[UUID, int]
) -> CallCell:
    result = page.result_of(turn, call)
    return CallCell(call.name, numbers.get(result) if result else None)


def _changes(turn: TurnRow) -> str:
    if turn.changes:
        return change_words(turn.changes)
    if turn.call.items is None:
        return "request not captured"
    return "not known" if turn.parent else "beginning"


def _sign(turn: TurnRow, numbers: dict[UUID, int]) -> str:
    if turn.hop_of:
        return f"the answer of {numbers.get(turn.hop_of, 'an earlier call')}, seen elsewhere"
    if turn.attempt_of:
        return f"attempt at {numbers.get(turn.attempt_of, 'an earlier call')}"
    return ""


def _cached(turn: TurnRow) -> str:
    if turn.cached_tokens is None or not turn.prompt_tokens:
        return ""
    return share(min(turn.cached_tokens, turn.prompt_tokens), turn.prompt_tokens)


# -- one turn --------------------------------------------------------------------------------------


def first_of_page(number: int) -> int:
    return (number - 1) // PAGE_TURNS * PAGE_TURNS + 1


def call_of(turns: Sequence[TurnRow], number: int | None) -> UUID | None:
    return next((each.id for each in turns if each.number == number), None)


def most_expensive(turns: Sequence[TurnRow]) -> UUID | None:
    """Return the turn to show first: what cost most, else the longest prompt."""
    most = max(turns, key=lambda t: (t.cost_ticks or 0, t.prompt_tokens or 0), default=None)
    return most.id if most else None


def chosen_turn(
    page: SessionPage,
    cells: Sequence[TurnCells],
    chosen: UUID | None,
    outline: PromptOutline | None,
) -> ChosenTurn | None:
    turn = next((each for each in page.turns if each.id == chosen), None)
    if turn is None:
        return None
    changes = turn.changes
    numbers = {each.id: each.number for each in page.turns}
    listed = changes.items if changes else ()
    return ChosenTurn(
        turn=next(each for each in cells if each.id == chosen),
        cost=_cost(turn),
        before=numbers.get(turn.parent) if turn.parent else None,
        why_none="" if changes else _why_none(turn),
        changes=tuple((each, _item_words(each), _place(each, turn)) for each in listed),
        changes_left_out=sum(changes.counts.values()) - len(listed) if changes else 0,
        parameters=changes.parameters if changes else (),
        departs=_departs(changes) if changes else "",
        fill=turn.fill,
        fill_bytes=sum(each.bytes for each in turn.fill),
        largest=tuple((each, _part_words(each)) for each in outline.largest) if outline else (),
        hops=answer_hops(turn, page.turns),
    )


def _cost(turn: TurnRow) -> str:
    if turn.prompt_tokens is None:
        return ""
    paid = money(turn.cost_ticks) or "Cost unknown"
    cached = f", {turn.cached_tokens:,} of them from the cache" if turn.cached_tokens else ""
    answer = "" if turn.completion_tokens is None else f", and {turn.completion_tokens:,} of answer"
    return f"{paid}: {plural(turn.prompt_tokens, 'token')} of prompt{cached}{answer}"


def _why_none(turn: TurnRow) -> str:
    if turn.call.items is None:
        return "The request was not captured, so its prompt is not known."
    if turn.parent is None:
        return "No earlier call of this session has a prompt that this one goes on with."
    return "The prompt of the call before is not known."


def _departs(changes: PromptChanges) -> str:
    at = changes.departure
    if at is None:
        return ""
    return f"{SECTIONS[at.section]}, at {at.pointer}, within 1,024 bytes from byte {at.byte:,}"


def _place(item: ItemChange, turn: TurnRow) -> UUID:
    """Return the capture whose prompt has it: of a dropped item the turn before."""
    return turn.parent if item.change is ChangeKind.DROPPED and turn.parent else turn.id


def _item_words(item: ItemChange) -> str:
    kind = KIND_WORDS.get(item.kind, "")
    is_of_tool = not item.role or kind.startswith("tool")
    return (kind or "tool") if is_of_tool else f"{item.role} {kind}"


def _part_words(part: LargePart) -> str:
    section, kind = SECTIONS[part.section], KIND_WORDS.get(part.kind, "")
    return f"{section}: {kind}" if kind and part.section is not Section.RESULTS else section
