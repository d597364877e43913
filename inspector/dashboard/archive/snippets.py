"""The lines that rows show around the hits of a query's words."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from inspector.archive.listing.capture_values import CaptureRow
from inspector.archive.listing.filters import Filters
from inspector.core.answer.answer_line import AnswerLineKind
from inspector.core.search.searchable_texts import TextKind
from inspector.dashboard.archive.answer_cell import NOTE, PROMPT, RowSnippet
from inspector.search import snippets
from inspector.search.snippets import Snippet

CUT = "…"
LINE_KINDS = {
    TextKind.ANSWER: AnswerLineKind.TEXT,
    TextKind.REASONING: AnswerLineKind.REASONING,
    TextKind.REFUSAL: AnswerLineKind.REFUSAL,
    TextKind.TOOL_NAME: AnswerLineKind.CALL,
    TextKind.TOOL_ARGUMENTS: AnswerLineKind.CALL,
    TextKind.ERROR: AnswerLineKind.ERROR,
    TextKind.PROMPT: PROMPT,
    TextKind.NOTE: NOTE,
}
"""A label has none: the row shows the model anyway."""


def row_snippets(rows: Iterable[CaptureRow], filters: Filters) -> Mapping[UUID, RowSnippet]:
    """Return the snippets of each capture, all visible to the reader; empty without words."""
    text = filters.words
    if not text:
        return {}
    found = snippets.for_captures((row.id for row in rows), text)
    return {
        capture_id: _row_snippet(each)
        for capture_id, each in found.items()
        if each.kind in LINE_KINDS
    }


def _row_snippet(found: Snippet) -> RowSnippet:
    before = CUT if found.is_cut_before else ""
    after = CUT if found.is_cut_after else ""
    marks = tuple((start + len(before), end + len(before)) for start, end in found.marks)
    return RowSnippet(f"{before}{found.text}{after}", LINE_KINDS[found.kind], marks)
