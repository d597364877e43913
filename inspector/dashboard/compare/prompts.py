"""Compares what was asked: the messages word by word, parameters and tools row by row."""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.request.prompt.prompt import (
    PromptMessage,
    PromptPart,
    PromptReading,
    PromptText,
    PromptTool,
    walk_parts,
)
from inspector.dashboard.capture.prompt.prompt_messages import message_title
from inspector.dashboard.compare.section import (
    ABSENT,
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    ComparisonTable,
    SideColumn,
    column_heads,
    comparison_table,
    count_words,
    merged_order,
    rows_clause,
)
from inspector.dashboard.compare.side import MAX_MESSAGES, Sides, those_without
from inspector.dashboard.compare.texts import DiffBudget
from inspector.dashboard.text.choice_diff import ChoiceDiffPart
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import exact_segments
from inspector.formatting.prompt_kinds import KIND_WORDS

SAME_PROMPT = "The same prompt"
LESS_WEIGHTY = frozenset({"model", "stream"})
"""Parameters that a comparison is often made over: shown, but not counted."""


@dataclass(frozen=True, slots=True)
class PromptsComparison:
    """``part`` are the messages of both; None if they agree."""

    heads: tuple[SideColumn, ...]
    sentence: str
    part: ChoiceDiffPart | None
    table: ComparisonTable | None
    """Parameters and tools that differ."""

    @property
    def is_marked(self) -> bool:
        return self.part is not None and self.part.is_alike


def compare_prompts(sides: Sides, room: DiffBudget) -> ComparisonSection:
    before, after = (side.prompt for side in sides)
    if before is None or after is None:
        return unknown_prompts(those_without(sides, lambda side: side.prompt))
    rows = tuple(parameter_rows(before, after))
    differing = [each for each in rows if not each.is_same]
    part = None if is_same_prompt(sides, before, after) else messages_diff(before, after, room)
    is_cut = any(each.total > len(each.messages) for each in (before, after))
    content = PromptsComparison(
        heads=column_heads(sides),
        sentence=f"The first {MAX_MESSAGES} messages are compared." if part and is_cut else "",
        part=part,
        table=comparison_table("Parameters that differ", sides, differing) if differing else None,
    )
    parameters = rows_clause(rows, "{} parameter differs", "{} parameters differ")
    clauses = ("different prompt" if part else "", parameters)
    return ComparisonSection(
        slug="prompt",
        title="Prompt",
        sentence="" if part else same_words(before, is_parameters_same=not differing),
        content=content if differing or part else None,
        count=count_words(sum(each.differs for each in rows) + (part is not None)),
        clause="; ".join(filter(None, clauses)),
        form="prompts",
    )


def unknown_prompts(whose: str) -> ComparisonSection:
    why = f"Prompts are not compared: the request of {whose} is not known, or was not read."
    return ComparisonSection("prompt", "Prompt", why, count="unknown")


def same_words(reading: PromptReading, *, is_parameters_same: bool) -> str:
    facts = plural(reading.total, "message")
    if reading.tool_total:
        facts += f", {plural(reading.tool_total, 'tool')}"
    rest = "; parameters are the same, too" if is_parameters_same else ""
    return f"{SAME_PROMPT} on both sides: {facts}{rest}."


def is_same_prompt(sides: Sides, before: PromptReading, after: PromptReading) -> bool:
    digests = [side.facts.prompt_sha256 for side in sides]
    is_same_digest = digests[0] is not None and digests[0] == digests[1]
    return is_same_digest or prompt_text(before) == prompt_text(after)


def messages_diff(before: PromptReading, after: PromptReading, room: DiffBudget) -> ChoiceDiffPart:
    return room.compare("messages", prompt_text(before), prompt_text(after))


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


def parameter_rows(before: PromptReading, after: PromptReading) -> Iterator[ComparisonRow]:
    olds, news = dict(values_of(before)), dict(values_of(after))
    for name in merged_order(olds, news):
        cells = olds.get(name, ABSENT), news.get(name, ABSENT)
        yield ComparisonRow(
            exact_segments(name), cells, is_muted=name in LESS_WEIGHTY, is_code=True
        )


def values_of(reading: PromptReading) -> Iterator[tuple[str, ComparisonCell]]:
    for parameter in reading.parameters:
        yield parameter.name, ComparisonCell(spelled(parameter.value))
    for tool in reading.tools:
        yield f"tool {tool.name}", ComparisonCell(tool_words(tool))


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
