"""The answer of a document: its choices, block by block in the order in which they came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.completion import Block, BlockKind, Choice, FunctionCall, Json, ToolCall, known
from inspector.core.finish_reasons import meaning_of
from inspector.core.part_media import decoded_length, media_of
from inspector.core.tape import Tape
from inspector.formatting.finish_names import finish_name
from inspector.formatting.humanize import plain_seconds, plural, size
from inspector.formatting.lanes import type_words
from inspector.formatting.wire_values import finish_word
from inspector.sharing.document.withheld import LAID_OUT, DocumentText, TextRoom

MAX_CHOICES = 100
MAX_BLOCKS = 500
"""Of each choice."""
MAX_CITATIONS = 100
"""Of each block."""
MEDIA = (BlockKind.IMAGE, BlockKind.AUDIO)
TITLE_NAMES = ("title", "document_title", "name", "filename")
ADDRESS_NAMES = ("url", "uri", "source")
QUOTE_NAMES = ("cited_text", "quote")
WITHHELD_FINISH = "another reason"


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """One block. ``facts`` are its length and times; ``fault`` says what is wrong with a call."""

    position: int
    kind: str
    words: str
    facts: tuple[str, ...]
    name: str = ""
    text: DocumentText | None = None
    is_code: bool = False
    fault: str = ""
    citations: tuple[tuple[str, ...], ...] = ()
    more_citations: int = 0


@dataclass(frozen=True, slots=True)
class DocumentChoice:
    index: int
    finish: str
    result: str
    blocks: tuple[DocumentBlock, ...]
    more_blocks: int


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    choices: tuple[DocumentChoice, ...]
    more_choices: int


def document_answer(analysis: Analysis, tape: Tape, room: TextRoom) -> DocumentAnswer:
    spans = lane_spans(tape)
    return DocumentAnswer(
        choices=tuple(
            document_choice(choice, analysis.dialect, spans, room)
            for choice in analysis.choices[:MAX_CHOICES]
        ),
        more_choices=max(len(analysis.choices) - MAX_CHOICES, 0),
    )


def document_choice(
    choice: Choice, dialect: str | None, spans: dict[int, tuple[int, int]], room: TextRoom
) -> DocumentChoice:
    return DocumentChoice(
        index=choice.index,
        finish=finish_words(choice, dialect, room),
        result=str(choice.result),
        blocks=tuple(
            document_block(choice, position, block, spans, room)
            for position, block in enumerate(choice.blocks[:MAX_BLOCKS])
        ),
        more_blocks=max(len(choice.blocks) - MAX_BLOCKS, 0),
    )


def finish_words(choice: Choice, dialect: str | None, room: TextRoom) -> str:
    """The finish reason. Where texts are withheld only one whose meaning is known: any text can be
    sent as one.
    """
    reason = finish_name(dialect, choice.finish_reason)
    if not room.is_withheld or not known(reason):
        return room.word(finish_word(reason)) or "none"
    return finish_word(reason) if meaning_of(reason) is not None else WITHHELD_FINISH


def document_block(
    choice: Choice,
    position: int,
    block: Block,
    spans: dict[int, tuple[int, int]],
    room: TextRoom,
) -> DocumentBlock:
    facts = tuple(arrival_words(choice, block, spans))
    words = room.word(type_words(block)) or str(block.kind).replace("-", " ")
    if block.kind is BlockKind.TOOL_CALL and (call := call_of(choice, block)) is not None:
        return call_block(position, call, facts, room)
    if block.kind in MEDIA:
        facts = (*facts, *media_facts(block.value, room))
        return DocumentBlock(position, block.kind, str(block.kind), facts)
    if (text := text_of(choice, block)) is not None:
        shown = room.json(text) if block.kind is BlockKind.TEXT else room.text(text)
        citations = () if room.is_withheld else tuple(citation_words(block, room))
        return DocumentBlock(
            position,
            block.kind,
            str(block.kind),
            (*facts, *length_words(shown), *counted_citations(block)),
            text=shown,
            citations=citations,
            more_citations=max(len(block.citations) - MAX_CITATIONS, 0) if citations else 0,
        )
    value = room.value(block.value) if known(block.value) else None
    return DocumentBlock(position, block.kind, words, facts, text=value, is_code=True)


def call_block(
    position: int, call: ToolCall | FunctionCall, facts: tuple[str, ...], room: TextRoom
) -> DocumentBlock:
    arguments = room.json(call.arguments_text)
    name = call.name if isinstance(call.name, str) else ""
    cause = f", {call.arguments_cause}".replace("-", " ") if call.arguments_cause else ""
    at = f" at character {call.invalid_at:,}" if call.invalid_at is not None else ""
    is_broken = call.arguments_state in ("invalid", "truncated")
    return DocumentBlock(
        position,
        BlockKind.TOOL_CALL,
        "tool call",
        (*facts, *length_words(arguments)),
        name=room.word(name),
        text=arguments,
        is_code=True,
        fault=f"arguments {call.arguments_state}{cause}{at}" if is_broken else "",
    )


def call_of(choice: Choice, block: Block) -> ToolCall | FunctionCall | None:
    if block.tool_call is None:
        return None if known(block.value) else choice.function_call
    calls = choice.tool_calls
    return calls[block.tool_call] if block.tool_call < len(calls) else None


def text_of(choice: Choice, block: Block) -> str | None:
    if isinstance(block.text, str):
        return block.text
    return choice.only_texts().get(block.kind)


def media_facts(value: Json, room: TextRoom) -> Iterator[str]:
    """Type and size; never the content, nor the address, which a reader would have to load."""
    media = media_of(value)
    if stated := room.word(media.stated_type):
        yield stated
    if media.data:
        yield size(decoded_length(media.data, len(media.data)))


def length_words(text: DocumentText) -> Iterator[str]:
    yield plural(text.length, "character")
    if text.is_laid_out:
        yield LAID_OUT


def counted_citations(block: Block) -> Iterator[str]:
    if block.citations:
        yield plural(len(block.citations), "citation")


def citation_words(block: Block, room: TextRoom) -> Iterator[tuple[str, ...]]:
    """Title, address and quote of each citation, as far as they were sent."""
    for entry in block.citations[:MAX_CITATIONS]:
        fields = entry if isinstance(entry, dict) else {}
        inside = fields.get(str(fields.get("type")))
        fields = {**fields, **inside} if isinstance(inside, dict) else fields
        groups = (TITLE_NAMES, ADDRESS_NAMES, QUOTE_NAMES)
        found = (first_text(fields, names) for names in groups)
        yield tuple(dict.fromkeys(room.phrase(text) for text in found if text))


def first_text(fields: dict[str, Json], names: tuple[str, ...]) -> str:
    texts = (fields.get(name) for name in names)
    return next((text for text in texts if isinstance(text, str) and text), "")


def arrival_words(choice: Choice, block: Block, spans: dict[int, tuple[int, int]]) -> Iterator[str]:
    """When its text came, if the text is a lane of its own and the times are known."""
    lane = block.lane
    is_shared = sum(each.lane == lane for each in choice.blocks) > 1
    if lane is not None and not is_shared and lane in spans:
        first, last = spans[lane]
        yield f"{plain_seconds(first)} to {plain_seconds(last)} s"


def lane_spans(tape: Tape) -> dict[int, tuple[int, int]]:
    """Arrival of the first and the last piece of each lane, in microseconds; empty without
    times.
    """
    spans: dict[int, tuple[int, int]] = {}
    for event, lane in zip(tape.pieces.event, tape.pieces.lane, strict=True):
        at_us = tape.arrival_us(event)
        if at_us is not None:
            first, last = spans.get(lane, (at_us, at_us))
            spans[lane] = min(first, at_us), max(last, at_us)
    return spans
