"""The head of a document: what it is of, its verdict, its figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.archive.opened import OpenedCapture
from inspector.core.analysis import Analysis
from inspector.core.findings import Severity
from inspector.core.vendors import vendor_named
from inspector.formatting.humanize import moment, plural, seconds, size
from inspector.formatting.invisible_characters import spell_out_invisible
from inspector.formatting.told import told_sentence
from inspector.formatting.verdicts import VerdictLabel, analysis_label
from inspector.formatting.wire_values import NOT_SENT, finish_counts
from inspector.sharing.document.answer import DocumentAnswer

MAX_FINISHES = 6


@dataclass(frozen=True, slots=True)
class DocumentFigure:
    label: str
    value: str
    aside: str


@dataclass(frozen=True, slots=True)
class DocumentHead:
    team: str
    received: str
    capture: str
    """The capture's id."""
    verdict: VerdictLabel
    reason: str
    told: str
    """What must be said where no provider sent the bytes, "" otherwise."""
    figures: tuple[DocumentFigure, ...]


def document_head(
    opened: OpenedCapture, analysis: Analysis, answer: DocumentAnswer, reason: str, model: str
) -> DocumentHead:
    return DocumentHead(
        team=spell_out_invisible(opened.team_name),
        received=moment(opened.row.received_at),
        capture=str(opened.row.id),
        verdict=analysis_label(analysis),
        reason=reason,
        told=told_sentence(analysis.dialect),
        figures=tuple(document_figures(opened, analysis, answer, model)),
    )


def document_figures(
    opened: OpenedCapture, analysis: Analysis, answer: DocumentAnswer, model: str
) -> Iterator[DocumentFigure]:
    vendor, usage = vendor_named(analysis.vendor), analysis.usage
    yield DocumentFigure("model answered", model or NOT_SENT, vendor.title if vendor else "")
    streamed = "streamed" if analysis.streamed else "not streamed"
    yield DocumentFigure("dialect", analysis.dialect or "unknown", streamed)
    finishes = [text for _, text in finish_counts([each.finish for each in answer.choices])]
    number = len(answer.choices) + answer.more_choices
    shown = ", ".join(finishes[:MAX_FINISHES]) or "none"
    yield DocumentFigure("finish reason", shown, plural(number, "choice"))
    total = usage.total_tokens if isinstance(usage.total_tokens, int) else None
    parts = (
        f"{value:,} {name}"
        for value, name in ((usage.prompt_tokens, "in"), (usage.completion_tokens, "out"))
        if isinstance(value, int)
    )
    yield DocumentFigure("tokens", NOT_SENT if total is None else f"{total:,}", ", ".join(parts))
    yield from time_figures(analysis)
    counts = {each: 0 for each in Severity}
    for finding in analysis.findings:
        counts[finding.severity] += 1
    told = ", ".join(plural(number, str(each)) for each, number in counts.items() if number)
    yield DocumentFigure("findings", f"{len(analysis.findings):,}", told or "none")
    chunks = analysis.timeline.counts.chunks
    aside = plural(chunks, "chunk") if analysis.streamed else ""
    yield DocumentFigure("size", size(opened.row.byte_length), aside)


def time_figures(analysis: Analysis) -> Iterator[DocumentFigure]:
    """Unknown times are said to be so, never shown as 0."""
    times = analysis.timeline
    for label, at_us in (
        ("time to first token", times.first_token_us),
        ("duration", times.duration_us),
    ):
        is_known = at_us is not None
        yield DocumentFigure(
            label, seconds(at_us) if is_known else "unknown", "" if is_known else "not recorded"
        )
