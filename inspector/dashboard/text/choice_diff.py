"""Word diff of two choices, one part (answer, reasoning, ...) at a time."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.completion import BlockKind, Choice
from inspector.core.text.text_diff import (
    DiffRun,
    DiffRunKind,
    DiffUnit,
    diff_texts,
    first_difference,
)
from inspector.dashboard.text.choice_texts import answer_of, calls_of
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, prose_segments
from inspector.formatting.wire_values import json_text

MAX_CHARACTERS = 200_000
"""Limit per text; a page with two complete texts of this length is as large as pages get."""

MAX_OFFERED = 40
"""Choices offered for selection at once."""

LONG = 1_200
"""A shorter run is read as quickly as it is unfolded."""
KEPT_CHARACTERS = 400
"""Characters of context around a difference in a long unchanged run."""
LEAST_COMMON_PERCENT = 40
"""With less in common everything would be marked, and nothing be seen."""
FOLLOWING = 4_000
"""Characters shown after the divergence of texts that are too long to diff."""


@dataclass(frozen=True, slots=True)
class ChoiceDiffRun:
    """A run of the diff. ``kind`` is "" (in both), ``removed``, ``added`` or ``fork`` (the
    divergence); long unchanged runs have a folded middle.
    """

    kind: str
    text: tuple[TextSegment, ...] = ()
    folded: tuple[TextSegment, ...] = ()
    folded_length: int = 0
    end: tuple[TextSegment, ...] = ()


@dataclass(frozen=True, slots=True)
class ChoiceDiffPart:
    """``sentence`` says that the texts are equal, or why there is no diff."""

    name: str
    sentence: str = ""
    runs: tuple[ChoiceDiffRun, ...] = ()

    @property
    def unforked(self) -> tuple[ChoiceDiffRun, ...]:
        """The runs without the mark of where the texts part."""
        return tuple(run for run in self.runs if run.kind != "fork")

    @property
    def missing_in(self) -> int | None:
        """Index of the side that has no such text."""
        kinds = {run.kind for run in self.runs}
        return {"removed": 1, "added": 0}.get(kinds.pop()) if len(kinds) == 1 else None

    @property
    def is_alike(self) -> bool:
        """Enough stands in both for marks of the rest to say something."""
        if not self.runs or self.missing_in is not None:
            return False
        lengths = Counter[str]()
        for run in self.runs:
            shown = sum(len(each.text) for each in (*run.text, *run.folded, *run.end))
            lengths[run.kind] += shown
        if lengths[""] and not (lengths["removed"] and lengths["added"]):
            return True  # One goes on where the other ends.
        longer = lengths[""] + max(lengths["removed"], lengths["added"])
        return lengths[""] * 100 >= longer * LEAST_COMMON_PERCENT


@dataclass(frozen=True, slots=True)
class ChoiceDiff:
    before: int
    after: int
    befores: tuple[int, ...]
    """Choices that may replace the first one: all, or those near it."""
    afters: tuple[int, ...]
    parts: tuple[ChoiceDiffPart, ...]


def diff_choices(choices: tuple[Choice, ...], pair: str) -> ChoiceDiff:
    """Diff the choices named like ``0-2``; by default, or if one is missing, the first two."""
    by_index = {choice.index: choice for choice in choices}
    indexes = tuple(by_index)
    before, after = parse_choice_pair(pair, indexes)
    parts = tuple(diff_parts(by_index[before], by_index[after]))
    return ChoiceDiff(
        before, after, nearby_choices(before, indexes), nearby_choices(after, indexes), parts
    )


def nearby_choices(chosen: int, indexes: tuple[int, ...]) -> tuple[int, ...]:
    at = max(0, indexes.index(chosen) - MAX_OFFERED // 2)
    offered = indexes[at : at + MAX_OFFERED]
    return tuple(dict.fromkeys((*indexes[:1], *offered, *indexes[-1:])))


def parse_choice_pair(pair: str, indexes: tuple[int, ...]) -> tuple[int, int]:
    names = {str(index): index for index in indexes}
    before, _, after = pair.partition("-")
    if before in names and after in names and before != after:
        return names[before], names[after]
    return indexes[0], indexes[1]


def diff_parts(before: Choice, after: Choice) -> Iterator[ChoiceDiffPart]:
    for (name, old), (_, new) in zip(texts_of(before), texts_of(after), strict=True):
        if old or new:
            yield diff_choice_text(name, old, new)


def texts_of(choice: Choice) -> tuple[tuple[str, str], ...]:
    """Texts of a choice by name; absent ones are empty."""
    answer, reasoning = answer_of(choice)
    calls = "\n".join(f"{call.name} {call.arguments_text}" for call in calls_of(choice))
    hosted = (block.value for block in choice.blocks if block.kind is BlockKind.HOSTED)
    return (
        ("reasoning", text_of(reasoning.text) if reasoning else ""),
        ("refusal", text_of(choice.refusal)),
        ("answer", text_of(answer.text)),
        ("run by the provider", "\n".join(map(json_text, hosted))),
        ("tool calls", calls),
    )


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def diff_choice_text(name: str, old: str, new: str) -> ChoiceDiffPart:
    if old == new:
        return ChoiceDiffPart(name, f"The same in both, {plural(len(old), 'character')}.")
    found = diff_texts(old, new) if max(len(old), len(new)) <= MAX_CHARACTERS else None
    if found is None:
        return diff_excerpts(name, old, new)
    by_line = (
        "Too long to compare by word; compared by line." if found.unit is DiffUnit.LINE else ""
    )
    return ChoiceDiffPart(name, by_line, tuple(diff_runs(found.runs)))


def diff_excerpts(name: str, old: str, new: str) -> ChoiceDiffPart:
    """Show where two texts that are too long to diff diverge, and what follows."""
    at = first_difference(old, new)
    start = max(0, at - KEPT_CHARACTERS)
    found = diff_texts(old[start : at + FOLLOWING], new[start : at + FOLLOWING])
    runs = tuple(diff_runs(drop_excerpt_end(found.runs))) if found else ()
    return ChoiceDiffPart(
        name, f"{too_long_part(old, new)} They differ from character {at + 1:,}.", runs
    )


def drop_excerpt_end(runs: tuple[DiffRun, ...]) -> tuple[DiffRun, ...]:
    """Drop the differences at the end, which only come from cutting both excerpts."""
    same = [at for at, run in enumerate(runs) if run.kind is DiffRunKind.SAME]
    return runs[: same[-1] + 1] if same and same[-1] else runs


def too_long_part(old: str, new: str) -> str:
    return (
        f"Too long to compare on a page: {len(old):,} and {plural(len(new), 'character')}. "
        "Both can be downloaded in the text view."
    )


def diff_runs(runs: tuple[DiffRun, ...]) -> Iterator[ChoiceDiffRun]:
    has_parted = False
    for run in runs:
        if run.kind is DiffRunKind.SAME:
            yield unchanged_part(run.text)
            continue
        if run is not runs[0] and not has_parted:
            yield ChoiceDiffRun("fork")
        has_parted = True
        yield ChoiceDiffRun(run.kind, prose_segments(run.text))


def unchanged_part(text: str) -> ChoiceDiffRun:
    if len(text) <= LONG:
        return ChoiceDiffRun("", prose_segments(text))
    middle = text[KEPT_CHARACTERS:-KEPT_CHARACTERS]
    return ChoiceDiffRun(
        "",
        prose_segments(text[:KEPT_CHARACTERS]),
        prose_segments(middle),
        len(middle),
        prose_segments(text[-KEPT_CHARACTERS:]),
    )
