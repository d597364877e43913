"""Compares what was asked: the messages word by word, parameters and tools row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inspector.core.prompt.prompt import (
    PromptMessage,
    PromptPart,
    PromptReading,
    PromptText,
    PromptTool,
    walk_parts,
)
from inspector.dashboard.capture.prompt.prompt_messages import message_title
from inspector.dashboard.compare.column_heads import column_heads
from inspector.dashboard.compare.section import (
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    ComparisonTable,
    SideColumn,
    comparison_table,
    row_clauses,
)
from inspector.dashboard.compare.side import MAX_MESSAGES, ComparedSide
from inspector.dashboard.compare.texts import DiffBudget
from inspector.dashboard.compare.usage_counts import merged_order
from inspector.dashboard.compare_links import ordinal_words
from inspector.dashboard.text.choice_diff import ChoiceDiffPart
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import exact_segments
from inspector.formatting.prompt_kinds import KIND_WORDS
from inspector.formatting.wire_values import NOT_SENT

SAME_PROMPT = "The same prompt"
LESS_WEIGHTY = frozenset({"model", "stream"})
"""Parameters that a comparison is often made over: shown, but not counted."""


@dataclass(frozen=True, slots=True)
class ComparedPrompt:
    """The messages of another side against those of the first. ``part`` is None if they agree."""

    heads: tuple[SideColumn, ...]
    sentence: str
    part: ChoiceDiffPart | None


@dataclass(frozen=True, slots=True)
class PromptsComparison:
    prompts: tuple[ComparedPrompt, ...]
    table: ComparisonTable | None
    """Parameters and tools that differ."""


def compare_prompts(sides: tuple[ComparedSide, ...], room: DiffBudget) -> ComparisonSection:
    unknown = [side for side in sides if not isinstance(side.prompt, PromptReading)]
    if unknown:
        return unknown_prompts(unknown)
    readings = [side.prompt for side in sides if isinstance(side.prompt, PromptReading)]
    texts = [prompt_text(reading) for reading in readings]
    rows = tuple(parameter_rows(readings))
    differing = [each for each in rows if not each.is_same]
    others = tuple(
        compared_prompt(sides[0], side, texts[0], text, room)
        for side, text in zip(sides[1:], texts[1:], strict=True)
    )
    is_same = all(each.part is None for each in others)
    table = comparison_table("Parameters that differ", column_heads(sides), differing)
    content = PromptsComparison(() if is_same else others, table if differing else None)
    counted = sum(each.differs for each in rows) + sum(each.part is not None for each in others)
    return ComparisonSection(
        slug="prompt",
        title="Prompt",
        sentence=same_words(readings[0], is_parameters_same=not differing) if is_same else "",
        content=content if differing or not is_same else None,
        count=f"{counted}" if counted else "same",
        clauses=clauses_of(others, rows, len(sides)),
        form="prompts",
    )


def unknown_prompts(unknown: list[ComparedSide]) -> ComparisonSection:
    whose = ordinal_words(tuple(side.position for side in unknown))
    return ComparisonSection(
        slug="prompt",
        title="Prompt",
        sentence=f"Prompts are not compared: the request of {whose} is not known, or was not read.",
        count="unknown",
        clauses=(),
    )


def same_words(reading: PromptReading, *, is_parameters_same: bool) -> str:
    facts = plural(reading.total, "message")
    if reading.tool_total:
        facts += f", {plural(reading.tool_total, 'tool')}"
    rest = "; parameters are the same, too" if is_parameters_same else ""
    return f"{SAME_PROMPT} on every side: {facts}{rest}."


def compared_prompt(
    first: ComparedSide, other: ComparedSide, before: str, after: str, room: DiffBudget
) -> ComparedPrompt:
    heads = column_heads((first, other))
    is_same_digest = (
        first.facts.prompt_sha256 is not None
        and first.facts.prompt_sha256 == other.facts.prompt_sha256
    )
    if is_same_digest or before == after:
        return ComparedPrompt(heads, f"{SAME_PROMPT} as the first side’s.", None)
    readings = [side.prompt for side in (first, other) if side.prompt]
    is_cut = any(each.total > len(each.messages) for each in readings)
    sentence = f"The first {MAX_MESSAGES} messages are compared." if is_cut else ""
    return ComparedPrompt(heads, sentence, room.compare("messages", before, after))


def clauses_of(
    others: tuple[ComparedPrompt, ...], rows: tuple[ComparisonRow, ...], sides: int
) -> tuple[str, ...]:
    """For the headline: what was asked differs, and how many parameters."""
    parameters = row_clauses(rows, sides, "{} parameter differs", "{} parameters differ")
    prompts = ("" if each.part is None else "different prompt" for each in others)
    return tuple("; ".join(filter(None, pair)) for pair in zip(prompts, parameters, strict=True))


# -- the prompt as one text ------------------------------------------------------------------------


def prompt_text(reading: PromptReading) -> str:
    return "\n\n".join(map(message_text, reading.messages))


def message_text(message: PromptMessage) -> str:
    parts = (part_text(part) for part in walk_parts(message.parts))
    return "\n".join((f"{message_title(message)}:", *filter(None, parts)))


def part_text(part: PromptPart) -> str:
    media = part.media
    words = [part.name]
    if media is not None:
        length = "" if media.byte_length is None else f"{media.byte_length:,} bytes"
        words = [f"[{KIND_WORDS[part.kind]}]", part.name, media.media_type, length, media.address]
    return " ".join(filter(None, (*words, part.text.head if part.text else "")))


# -- parameters and tools --------------------------------------------------------------------------


def parameter_rows(readings: list[PromptReading]) -> Iterator[ComparisonRow]:
    values = [dict(values_of(reading)) for reading in readings]
    for name in merged_order([list(each) for each in values]):
        yield ComparisonRow(
            exact_segments(name),
            tuple(parameter_cell(each, name) for each in values),
            is_muted=name in LESS_WEIGHTY,
            is_code=True,
        )


def values_of(reading: PromptReading) -> Iterator[tuple[str, str]]:
    for parameter in reading.parameters:
        yield parameter.name, spelled(parameter.value)
    for tool in reading.tools:
        yield f"tool {tool.name}", tool_words(tool)


def spelled(value: PromptText) -> str:
    rest = "…" if value.length > len(value.head) else ""
    return value.head + rest if value.is_json else f'"{value.head}{rest}"'


def tool_words(tool: PromptTool) -> str:
    described = (tool.description, tool.schema)
    extras = (f"{extra.name}: {extra.value.head}" for extra in tool.extras)
    words = (
        tool.type,
        "strict" if tool.is_strict else "",
        *(each.head for each in described if each),
    )
    return " ".join(filter(None, (*words, *extras))) or "offered"


def parameter_cell(values: Mapping[str, str], name: str) -> ComparisonCell:
    if name not in values:
        return ComparisonCell(NOT_SENT, tone="faint")
    return ComparisonCell(values[name])
