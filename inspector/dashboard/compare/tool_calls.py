"""Compares tool calls: matched by name and order, arguments value by value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from msgspec import UNSET

from inspector.core.completion import ArgumentsState, Choice, FunctionCall, ToolCall
from inspector.core.json import Json
from inspector.core.json.diff import JsonPair, NumberText, json_pairs
from inspector.core.text.text_diff import CommonBlock, common_blocks
from inspector.dashboard.capture.tool_calls.call_text import STATES
from inspector.dashboard.compare.section import (
    ComparisonSection,
    SideColumn,
    column_heads,
    count_words,
    only_words,
)
from inspector.dashboard.compare.side import Sides
from inspector.dashboard.compare.texts import DiffBudget, MatchedChoices, match_choices
from inspector.dashboard.text.choice_diff import MAX_CHARACTERS, ChoiceDiffPart, ChoiceDiffRun
from inspector.dashboard.text.choice_texts import calls_of
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import json_text, wire_word

AnyToolCall = ToolCall | FunctionCall
CallPair = tuple[AnyToolCall | None, AnyToolCall | None]
MatchedCall = tuple[MatchedChoices, AnyToolCall | None, AnyToolCall | None]

MAX_CALLS = 50
"""Differing calls shown per side."""
MAX_VALUES = 100
"""Differing values shown per call, and equal ones."""
WHOLE = "all of it"


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A value inside the arguments: ``runs`` if both are texts that differ, else both values,
    empty where none was sent.
    """

    pointer: tuple[TextSegment, ...]
    word: str
    before: tuple[TextSegment, ...] = ()
    after: tuple[TextSegment, ...] = ()
    runs: tuple[ChoiceDiffRun, ...] = ()

    @property
    def is_equal(self) -> bool:
        return self.word.startswith("equal")


@dataclass(frozen=True, slots=True)
class ComparedCall:
    """``values`` if both arguments are JSON, ``part`` if one is not."""

    names: tuple[TextSegment, ...]
    choice: str
    sentence: str
    values: tuple[ComparedValue, ...] = ()
    part: ChoiceDiffPart | None = None


@dataclass(frozen=True, slots=True)
class CallsComparison:
    heads: tuple[SideColumn, ...]
    sentence: str
    calls: tuple[ComparedCall, ...]


def compare_tool_calls(sides: Sides, room: DiffBudget) -> ComparisonSection | None:
    """Compare the calls; None if no side has any."""
    found = list(call_pairs(sides))
    if not found:
        return None
    compared = compare_calls(column_heads(sides), found, room)
    return ComparisonSection(
        slug="calls",
        title="Tool calls",
        sentence="" if compared.calls else compared.sentence,
        content=compared if compared.calls else None,
        count=count_words(sum(map(call_differs, found))),
        clause=calls_clause(found),
        form="calls",
    )


def call_pairs(sides: Sides) -> Iterator[MatchedCall]:
    for choice in match_choices(sides):
        for before, after in pair_calls(
            calls_of_choice(choice.before), calls_of_choice(choice.after)
        ):
            yield choice, before, after


def calls_of_choice(choice: Choice | None) -> tuple[AnyToolCall, ...]:
    return calls_of(choice) if choice is not None else ()


def pair_calls(before: Sequence[AnyToolCall], after: Sequence[AnyToolCall]) -> Iterator[CallPair]:
    """Pairs calls by name in order, and those between matches by position."""
    blocks = common_blocks(
        [call_name(call) for call in before], [call_name(call) for call in after]
    )
    old_at = new_at = 0
    for block in [*(blocks or ()), CommonBlock(len(before), len(after), 0)]:
        yield from zip_longest(before[old_at : block.before], after[new_at : block.after])
        old_at, new_at = block.before + block.length, block.after + block.length
        yield from zip(before[block.before : old_at], after[block.after : new_at], strict=True)


def call_name(call: AnyToolCall) -> str:
    return call.name if isinstance(call.name, str) and call.name else wire_word(call.name)


def call_differs(pair: MatchedCall) -> bool:
    # Ids are not compared: those of two responses always differ.
    _, before, after = pair
    if before is None or after is None:
        return True
    old, new = (call_name(before), before.arguments_text), (call_name(after), after.arguments_text)
    return old != new


def compare_calls(
    heads: tuple[SideColumn, ...], found: list[MatchedCall], room: DiffBudget
) -> CallsComparison:
    differing = [pair for pair in found if call_differs(pair)]
    same = len(found) - len(differing)
    sentences = []
    if same:
        sentences.append(
            "The same call on both sides: name and arguments."
            if same == len(found) == 1
            else f"{same:,} of {plural(len(found), 'call')} are the same: name and arguments."
        )
    if len(differing) > MAX_CALLS:
        sentences.append(f"The first {MAX_CALLS} that differ are shown.")
    is_many = len({id(choice) for choice, _, _ in found}) > 1
    return CallsComparison(
        heads,
        " ".join(sentences),
        tuple(
            compare_call(choice.names if is_many else "", before, after, room)
            for choice, before, after in differing[:MAX_CALLS]
        ),
    )


def calls_clause(found: list[MatchedCall]) -> str:
    gone = sum(after is None for _, _, after in found)
    new = sum(before is None for _, before, _ in found)
    changed = sum(map(call_differs, found)) - gone - new
    alone = only_words(gone, new, "tool call")
    if changed:
        among = f"{changed:,} of {len(found):,} tool calls differ"
        clause = "the tool call differs" if len(found) == 1 else among
        return "; ".join(filter(None, (clause, alone)))
    if alone:
        return alone
    return "same tool call" if len(found) == 1 else "same tool calls"


# -- one call --------------------------------------------------------------------------------------


def compare_call(
    choice: str, before: AnyToolCall | None, after: AnyToolCall | None, room: DiffBudget
) -> ComparedCall:
    if before is None or after is None:
        there = before or after
        assert there is not None, "one of two stands somewhere"
        where = "B" if before is None else "A"
        length = plural(len(there.arguments_text), "character")
        return ComparedCall(
            exact_segments(call_name(there)),
            choice,
            f"Only on {where}, with {length} of arguments.",
        )
    old, new = before.arguments_text, after.arguments_text
    names = exact_segments(" → ".join(dict.fromkeys((call_name(before), call_name(after)))))
    if old == new:
        return ComparedCall(names, choice, f"Same arguments, {plural(len(old), 'character')}.")
    is_json = before.arguments_state is after.arguments_state is ArgumentsState.VALID
    found = json_pairs(old, new) if is_json and is_short(old, new) else None
    if found is None:
        part = room.compare("arguments", old, new)
        sentences = (part.sentence, "" if is_json else states_words(before, after))
        return ComparedCall(names, choice, " ".join(filter(None, sentences)), part=part)
    if all(each.is_equal for each in found):
        return ComparedCall(names, choice, "The same values, written differently.")
    shown, sentence = shown_values(found)
    return ComparedCall(names, choice, sentence, tuple(compare_value(it, room) for it in shown))


def shown_values(found: tuple[JsonPair, ...]) -> tuple[list[JsonPair], str]:
    """Return as many of either kind as are shown, and what is left out in words."""
    left, shown = {True: MAX_VALUES, False: MAX_VALUES}, []
    for each in found:
        left[each.is_equal] -= 1
        if left[each.is_equal] >= 0:
            shown.append(each)
    more = ((max(0, -left[kind]), word) for kind, word in ((False, "differ"), (True, "are equal")))
    words = [f"{plural(number, 'more value')} {word}." for number, word in more if number]
    return shown, " ".join(words)


def is_short(old: str, new: str) -> bool:
    return max(len(old), len(new)) <= MAX_CHARACTERS


def states_words(before: AnyToolCall, after: AnyToolCall) -> str:
    states = [STATES[call.arguments_state] for call in (before, after)]
    if states[0] == states[1]:
        return f"Compared as text: {states[0]}."
    return f"Compared as text: {states[0]} on the one, {states[1]} on the other."


def compare_value(found: JsonPair, room: DiffBudget) -> ComparedValue:
    pointer, word = exact_segments(found.pointer or WHOLE), value_word(found)
    old, new = found.before, found.after
    if word == "differs" and is_text(old) and is_text(new):
        runs = room.compare(found.pointer, json_text(old), json_text(new)).unforked
        if runs:
            return ComparedValue(pointer, word, runs=runs)
    return ComparedValue(pointer, word, value_text(old), value_text(new))


def value_word(found: JsonPair) -> str:
    if UNSET in (found.before, found.after):
        return "only in B" if found.before is UNSET else "only in A"
    if found.is_equal:
        return "equal"
    return "equal instant" if is_one_instant(found.before, found.after) else "differs"


def is_text(value: object) -> bool:
    return isinstance(value, str) and not isinstance(value, NumberText)


def is_one_instant(old: object, new: object) -> bool:
    """Return True for two spellings of one time with its zone."""
    try:
        times = [datetime.fromisoformat(value) for value in (old, new) if isinstance(value, str)]
    except ValueError:
        return False
    return len(times) == 2 and all(each.tzinfo for each in times) and times[0] == times[1]


def value_text(value: Json) -> tuple[TextSegment, ...]:
    """Format as JSON, truncated if long; nothing if absent."""
    if value is UNSET:
        return ()
    text = exact_json(value)
    return exact_segments(
        text if len(text) <= 2 * LONGEST else f"{text[:LONGEST]}… {text[-LONGEST:]}"
    )


LONGEST = 200
"""Characters of either end: long arguments differ in the middle, where paths name the place."""


def exact_json(value: Json) -> str:
    """Format as JSON with numbers in their sent spelling at every depth."""
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, dict):
        members = (f"{json_text(name)}: {exact_json(each)}" for name, each in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(exact_json, value))}]"
    return json_text(value)
