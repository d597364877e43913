"""Two choices compared word by word, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.completion import Choice
from inspector.core.diff import Run, RunKind, Unit, diff, first_difference
from inspector.dashboard.answers import answer_of, calls_of
from inspector.dashboard.marks import Segment, prose
from inspector.dashboard.templatetags.formats import plural

MOST_CHARACTERS = 200_000
"""Of one text; a page that shows two of them in full is as large as a page may be."""

MOST_OFFERED = 40
"""Choices that can be chosen from at once."""

LONG = 1_200
KEPT = 400
"""Characters beside a difference that stay in sight in a long text that is the same."""
FOLLOWING = 4_000
"""Characters behind the place where texts part that are too long to be compared."""


@dataclass(frozen=True, slots=True)
class ShownRun:
    """``kind``: "" in both, ``removed`` only in the first, ``added`` only in the second, ``fork``
    where they part; of a long run that is the same the middle is folded.
    """

    kind: str
    text: tuple[Segment, ...] = ()
    folded: tuple[Segment, ...] = ()
    folded_length: int = 0
    end: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedPart:
    """``sentence`` says what the runs do not: that both are the same, or why they are not shown."""

    name: str
    sentence: str = ""
    runs: tuple[ShownRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    before: int
    after: int
    befores: tuple[int, ...]
    """The choices that can take its place: all, or those near it."""
    afters: tuple[int, ...]
    parts: tuple[ComparedPart, ...]


def comparison(choices: tuple[Choice, ...], asked: str) -> Comparison:
    """Of the two choices that ``0-2`` names; the first two where it names none that are there."""
    by_index = {choice.index: choice for choice in choices}
    indexes = tuple(by_index)
    before, after = pair(asked, indexes)
    parts = tuple(compared_parts(by_index[before], by_index[after]))
    return Comparison(before, after, near(before, indexes), near(after, indexes), parts)


def near(chosen: int, indexes: tuple[int, ...]) -> tuple[int, ...]:
    at = max(0, indexes.index(chosen) - MOST_OFFERED // 2)
    offered = indexes[at : at + MOST_OFFERED]
    return tuple(dict.fromkeys((*indexes[:1], *offered, *indexes[-1:])))


def pair(asked: str, indexes: tuple[int, ...]) -> tuple[int, int]:
    names = {str(index): index for index in indexes}
    before, _, after = asked.partition("-")
    if before in names and after in names and before != after:
        return names[before], names[after]
    return indexes[0], indexes[1]


def compared_parts(before: Choice, after: Choice) -> Iterator[ComparedPart]:
    for (name, old), (_, new) in zip(texts_of(before), texts_of(after), strict=True):
        if old or new:
            yield compared(name, old, new)


def texts_of(choice: Choice) -> tuple[tuple[str, str], ...]:
    """What a choice says, by name; a text that is absent is an empty one here."""
    answer, reasoning = answer_of(choice)
    calls = "\n".join(f"{call.name} {call.arguments_text}" for call in calls_of(choice))
    return (
        ("reasoning", text_of(reasoning.text) if reasoning else ""),
        ("refusal", text_of(choice.refusal)),
        ("answer", text_of(answer.text)),
        ("tool calls", calls),
    )


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def compared(name: str, old: str, new: str) -> ComparedPart:
    if old == new:
        return ComparedPart(name, f"The same in both, {plural(len(old), 'character')}.")
    found = diff(old, new) if max(len(old), len(new)) <= MOST_CHARACTERS else None
    if found is None:
        return in_part(name, old, new)
    by_line = "Too long to compare by word; compared by line." if found.unit is Unit.LINE else ""
    return ComparedPart(name, by_line, tuple(shown_runs(found.runs)))


def in_part(name: str, old: str, new: str) -> ComparedPart:
    """Where two texts part that are too long for a page, and what follows there."""
    at = first_difference(old, new)
    start = max(0, at - KEPT)
    found = diff(old[start : at + FOLLOWING], new[start : at + FOLLOWING])
    runs = tuple(shown_runs(without_end(found.runs))) if found else ()
    return ComparedPart(name, f"{too_long(old, new)} They differ from character {at + 1:,}.", runs)


def without_end(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """Without the differences that are there only because both excerpts end somewhere."""
    same = [at for at, run in enumerate(runs) if run.kind is RunKind.SAME]
    return runs[: same[-1] + 1] if same and same[-1] else runs


def too_long(old: str, new: str) -> str:
    return (
        f"Too long to compare on a page: {len(old):,} and {plural(len(new), 'character')}. "
        "Both can be downloaded in the text view."
    )


def shown_runs(runs: tuple[Run, ...]) -> Iterator[ShownRun]:
    has_parted = False
    for run in runs:
        if run.kind is RunKind.SAME:
            yield same(run.text)
            continue
        if not has_parted:
            yield ShownRun("fork")
        has_parted = True
        yield ShownRun(run.kind, prose(run.text))


def same(text: str) -> ShownRun:
    if len(text) <= LONG:
        return ShownRun("", prose(text))
    middle = text[KEPT:-KEPT]
    return ShownRun("", prose(text[:KEPT]), prose(middle), len(middle), prose(text[-KEPT:]))
