"""The answer and the prompt in a row of the list: one line each, of untrusted text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from inspector.archive.listing.capture_values import CaptureRow
from inspector.core.answer.answer_line import AnswerLineKind
from inspector.formatting.invisible_characters import TextSegment, prose_segments

LABELS = {
    AnswerLineKind.REFUSAL: "refusal",
    AnswerLineKind.PART: "no text, but",
    AnswerLineKind.ERROR: "error",
    AnswerLineKind.REASONING: "in reasoning",
}
"""Words in front of a line that is no text of the answer."""
BLANK_WORDS = {'""': "empty string"}
PROMPT, NOTE = "prompt", "note"
"""Kinds of snippets that were found beside the answer."""
PLACES = {PROMPT: "in prompt", NOTE: "in note"}
MAX_FIND_CHARACTERS = 200
"""As many as a search within a capture looks for (`json_search.MAX_LETTERS`)."""
# As in "```json ", "**", "`" and "## ".
MARKS = re.compile(r"(?<!\S)```[\w+#.-]*(?: |$)|\*\*|`+|(?<!\S)#{1,6} ")


@dataclass(frozen=True, slots=True)
class RowSnippet:
    """The line around what a search found, in place of the beginning of the answer.

    ``kind`` is an ``AnswerLineKind``, ``prompt`` or ``note``. ``marks`` are the hits: first
    character and end in ``text``, in order and without overlaps.
    """

    text: str
    kind: str
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LinePart:
    segments: tuple[TextSegment, ...]
    is_hit: bool = False
    is_name: bool = False
    """The name of a called tool."""


@dataclass(frozen=True, slots=True)
class AnswerCell:
    """``kind`` is the CSS class of the line, ``label`` stands in front of it."""

    kind: str
    parts: tuple[LinePart, ...]
    label: str = ""
    blank: str = ""
    """The words for a content that says nothing."""
    find: str = ""
    """The fragment of an address that finds the hit on the capture's page."""


def answer_cell(row: CaptureRow, snippet: RowSnippet | None = None) -> AnswerCell:
    """Empty where no line was made: for captures not inspected, or by an earlier version."""
    # White space as JSON writes it has no word.
    blank = BLANK_WORDS.get(row.answer_blank, row.answer_blank) if row.answer_blank else ""
    if snippet is not None:
        return AnswerCell(
            snippet.kind,
            tuple(marked_parts(snippet)),
            PLACES.get(snippet.kind) or label_of(snippet.kind),
            blank if snippet.kind in (*PLACES, AnswerLineKind.REASONING) else "",
            find_fragment(snippet),
        )
    kind, text = row.answer_kind or "", row.answer_line or ""
    if kind == AnswerLineKind.NOTHING and blank:
        return AnswerCell(kind, (), blank=blank)
    parts = call_parts(text) if kind == AnswerLineKind.CALL else plain_parts(unmarked(text))
    shown_blank = blank if kind == AnswerLineKind.REASONING else ""
    return AnswerCell(kind, parts, label_of(kind), shown_blank)


def label_of(kind: str) -> str:
    return LABELS[AnswerLineKind(kind)] if kind in [*LABELS] else ""


def unmarked(text: str) -> str:
    """Return the line without the signs by which Markdown sets words off."""
    return MARKS.sub("", text).rstrip()


def plain_parts(text: str) -> tuple[LinePart, ...]:
    return (LinePart(prose_segments(text)),) if text else ()


def call_parts(text: str) -> tuple[LinePart, ...]:
    name, space, arguments = text.partition(" ")
    return (LinePart(prose_segments(name), is_name=True), *plain_parts(space + arguments))


def prompt_parts(row: CaptureRow) -> tuple[TextSegment, ...]:
    return prose_segments(row.prompt_line or "")


def marked_parts(snippet: RowSnippet) -> Iterator[LinePart]:
    at = 0
    for start, end in snippet.marks:
        yield from plain_parts(snippet.text[at:start])
        yield LinePart(prose_segments(snippet.text[start:end]), is_hit=True)
        at = end
    yield from plain_parts(snippet.text[at:])


def find_fragment(snippet: RowSnippet) -> str:
    """``find=`` and the first hit, encoded; "" without one."""
    if not snippet.marks:
        return ""
    start, end = snippet.marks[0]
    return f"find={quote(snippet.text[start:end][:MAX_FIND_CHARACTERS], safe='')}"
