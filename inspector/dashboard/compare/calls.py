"""Tool calls beside each other: matched by their names in their order, arguments value by value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from msgspec import UNSET

from inspector.core.completion import ArgumentsState, Choice, FunctionCall, Json, ToolCall
from inspector.core.diff import Block, common_blocks
from inspector.core.json_diff import Difference, Number, differences
from inspector.dashboard.answers import calls_of
from inspector.dashboard.arguments import STATES
from inspector.dashboard.compare.named import only
from inspector.dashboard.compare.section import Section
from inspector.dashboard.compare.side import Side
from inspector.dashboard.compare.texts import Matched, Room, matched
from inspector.dashboard.comparison import MOST_CHARACTERS, ShownRun
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.wire import json_text, wire_word

Call = ToolCall | FunctionCall
Pair = tuple[Call | None, Call | None]
Found = tuple[Matched, Call | None, Call | None]

MOST_CALLS = 50
"""That differ and are shown, of one side."""
MOST_VALUES = 100
"""That differ inside the arguments of one call."""
WHOLE = "all of it"


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """One value inside the arguments; ``runs`` where both are texts, else both as they stand."""

    pointer: tuple[Segment, ...]
    before: tuple[Segment, ...] = ()
    after: tuple[Segment, ...] = ()
    runs: tuple[ShownRun, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedCall:
    """``values`` where both argument texts are JSON, ``runs`` where one is not."""

    names: tuple[Segment, ...]
    choice: str
    sentence: str
    values: tuple[ComparedValue, ...] = ()
    runs: tuple[ShownRun, ...] = ()


@dataclass(frozen=True, slots=True)
class CallsBeside:
    ordinal: str
    sentence: str
    calls: tuple[ComparedCall, ...]


def calls(sides: tuple[Side, ...], room: Room) -> Section | None:
    """None where nothing is called."""
    first, *others = sides
    if not any(calls_of(choice) for side in sides for choice in side.choices):
        return None
    found = [list(pairs(first, other)) for other in others]
    besides = tuple(beside(other, each, room) for other, each in zip(others, found, strict=True))
    numbers = [sum(map(differs, each)) for each in found]
    is_one = len(besides) == 1 and not numbers[0]
    return Section(
        slug="calls",
        title="Tool calls",
        sentence=besides[0].sentence if is_one else "",
        content=None if is_one else besides,
        count=f"{sum(numbers)}" if any(numbers) else "same",
        clauses=tuple(clause(each, other) for each, other in zip(found, others, strict=True)),
        form="calls",
    )


def pairs(first: Side, other: Side) -> Iterator[Found]:
    for choice in matched(first, other):
        for before, after in paired(called(choice.before), called(choice.after)):
            yield choice, before, after


def called(choice: Choice | None) -> tuple[Call, ...]:
    return calls_of(choice) if choice is not None else ()


def paired(before: Sequence[Call], after: Sequence[Call]) -> Iterator[Pair]:
    """Calls of one name in their order; what stands between them, by position."""
    blocks = common_blocks([name_of(call) for call in before], [name_of(call) for call in after])
    old_at = new_at = 0
    for block in [*(blocks or ()), Block(len(before), len(after), 0)]:
        yield from zip_longest(before[old_at : block.before], after[new_at : block.after])
        old_at, new_at = block.before + block.length, block.after + block.length
        yield from zip(before[block.before : old_at], after[block.after : new_at], strict=True)


def name_of(call: Call) -> str:
    return call.name if isinstance(call.name, str) and call.name else wire_word(call.name)


def differs(pair: Found) -> bool:
    """The ids of two calls always do."""
    _, before, after = pair
    if before is None or after is None:
        return True
    old, new = (name_of(before), before.arguments_text), (name_of(after), after.arguments_text)
    return old != new


def beside(other: Side, found: list[Found], room: Room) -> CallsBeside:
    differing = [pair for pair in found if differs(pair)]
    same = len(found) - len(differing)
    sentences = []
    if same:
        sentences.append(
            "The same call on both sides: name and arguments."
            if same == len(found) == 1
            else f"{same:,} of {plural(len(found), 'call')} are the same: name and arguments."
        )
    if len(differing) > MOST_CALLS:
        sentences.append(f"The first {MOST_CALLS} that differ are shown.")
    is_many = len({id(choice) for choice, _, _ in found}) > 1
    return CallsBeside(
        other.ordinal,
        " ".join(sentences),
        tuple(
            compared_call(choice.names if is_many else "", before, after, other.ordinal, room)
            for choice, before, after in differing[:MOST_CALLS]
        ),
    )


def clause(found: list[Found], other: Side) -> str:
    gone = sum(after is None for _, _, after in found)
    new = sum(before is None for _, before, _ in found)
    changed = sum(map(differs, found)) - gone - new
    alone = only(gone, new, "tool call", 0, other.position)
    if changed:
        among = f"{changed:,} of {len(found):,} tool calls differ"
        told = "the tool call differs" if len(found) == 1 else among
        return "; ".join(filter(None, (told, alone)))
    if alone or not found:
        return alone
    return "same tool call" if len(found) == 1 else "same tool calls"


# -- one call --------------------------------------------------------------------------------------


def compared_call(
    choice: str, before: Call | None, after: Call | None, ordinal: str, room: Room
) -> ComparedCall:
    if before is None or after is None:
        there = before or after
        assert there is not None, "one of two stands somewhere"
        where = ordinal if before is None else "first"
        length = plural(len(there.arguments_text), "character")
        return ComparedCall(
            exact(name_of(there)), choice, f"Only on the {where}, with {length} of arguments."
        )
    old, new = before.arguments_text, after.arguments_text
    names = exact(" → ".join(dict.fromkeys((name_of(before), name_of(after)))))
    if old == new:
        return ComparedCall(names, choice, f"Same arguments, {plural(len(old), 'character')}.")
    is_json = before.arguments_state is after.arguments_state is ArgumentsState.VALID
    found = differences(old, new) if is_json and is_short(old, new) else None
    if found is None:
        part = room.compared("arguments", old, new)
        sentences = (part.sentence, "" if is_json else states(before, after))
        return ComparedCall(names, choice, " ".join(filter(None, sentences)), runs=part.runs)
    if not found:
        return ComparedCall(names, choice, "The same values, written differently.")
    left_out = len(found) - MOST_VALUES
    sentence = f"{plural(left_out, 'more value')} differ." if left_out > 0 else ""
    values = tuple(compared_value(each, room) for each in found[:MOST_VALUES])
    return ComparedCall(names, choice, sentence, values)


def is_short(old: str, new: str) -> bool:
    return max(len(old), len(new)) <= MOST_CHARACTERS


def states(before: Call, after: Call) -> str:
    told = [STATES[call.arguments_state] for call in (before, after)]
    if told[0] == told[1]:
        return f"Compared as text: {told[0]}."
    return f"Compared as text: {told[0]} on the one, {told[1]} on the other."


def compared_value(found: Difference, room: Room) -> ComparedValue:
    pointer = exact(found.pointer or WHOLE)
    old, new = found.before, found.after
    if isinstance(old, str) and isinstance(new, str) and not is_number(old, new):
        runs = room.compared(found.pointer, old, new).runs
        if runs:
            return ComparedValue(pointer, runs=tuple(run for run in runs if run.kind != "fork"))
    return ComparedValue(pointer, shown_value(old), shown_value(new))


def is_number(*values: str) -> bool:
    return any(isinstance(value, Number) for value in values)


def shown_value(value: Json) -> tuple[Segment, ...]:
    """As JSON, cut where it is long; "not sent" where it is not there."""
    if value is UNSET:
        return exact("not sent")
    text = spelt(value)
    return exact(text if len(text) <= 2 * LONGEST else f"{text[:LONGEST]}… {text[-LONGEST:]}")


LONGEST = 200


def spelt(value: Json) -> str:
    """Numbers as they were spelt, also inside objects and lists."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        members = (f"{json_text(name)}: {spelt(each)}" for name, each in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(spelt, value))}]"
    return json_text(value)
