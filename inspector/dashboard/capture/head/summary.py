"""The head of the capture page: its headline and nine figures."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Usage
from inspector.core.findings import Finding, Severity
from inspector.core.tokens.ledger import odd_counts
from inspector.core.tokens.money import exact_sum
from inspector.core.vendors import vendor_named
from inspector.dashboard.capture.findings.panel import severity_counts
from inspector.dashboard.capture.head.headline import Headline, headline
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import unread_reason
from inspector.dashboard.capture.usage.panel import sum_of_wholes
from inspector.dashboard.capture.usage.price import cost_receipt
from inspector.dashboard.text.cost_labels import reason_words, unpriced_items_words
from inspector.dashboard.text.truncation import truncation_sentence
from inspector.formatting.finish_names import finish_name
from inspector.formatting.humanize import plural, short_time, size, three_digits_usd, usd
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.verdicts import VerdictLabel, analysis_label, verdict_label
from inspector.formatting.wire_values import (
    NOT_SENT,
    finish_counts,
    finish_word,
    is_ordinary_finish,
    wire_word,
)
from inspector.usage.cost.money import dollars
from inspector.usage.cost.overrides import DATED

MAX_IN_ORDER = 4
"""Choices whose finish reasons are named one by one; of more each reason is counted."""
MAX_FINISHES = 6
"""A figure has one line: further reasons are counted."""


@dataclass(frozen=True, slots=True)
class FigureValuePart:
    """A part of a figure's value with its own colour."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class SummaryFigure:
    """One figure that links to its panel.

    If ``unknown``, a word replaces the value; ``aside_tone`` highlights a disagreement.
    """

    label: str
    panel: str
    value: tuple[FigureValuePart, ...]
    aside: str
    aside_tone: str = ""
    unknown: bool = False
    name: str = ""
    """Tells a figure that changes while the page is open from the others."""
    severities: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class CaptureSummary:
    verdict: VerdictLabel
    headline: Headline
    cut: tuple[TextSegment, ...]
    """Words on what the displayed analysis omits; empty if it is complete."""
    figures: tuple[SummaryFigure, ...]


def capture_summary(view: CaptureView) -> CaptureSummary:
    return CaptureSummary(
        # Taken from the displayed analysis, which may be newer than the stored one that lists show.
        verdict=analysis_label(view.analysis)
        if view.analysis and view.row.state != "quarantined"
        else verdict_label(view.row.state, None),
        headline=headline(view),
        cut=exact_segments(truncation_sentence(view.cuts)),
        figures=tuple(figures(view)),
    )


def figures(view: CaptureView) -> Iterator[SummaryFigure]:
    if view.analysis is None:
        yield size_figure(view)
        return
    # Without an answer, what it lacks says nothing.
    has_answer = bool(view.analysis.choices)
    for each in answer_figures(view, view.analysis):
        if has_answer or not each.unknown:
            yield each
    yield findings_figure(view.findings)
    yield size_figure(view)


def answer_figures(view: CaptureView, analysis: Analysis) -> Iterator[SummaryFigure]:
    yield model_figure(view, analysis)
    yield dialect_figure(analysis)
    yield finish_figure(view, analysis)
    yield tokens_figure(view, analysis)
    if view.facts.share is None:
        yield cost_figure(view, analysis)
    first, duration = first_token_figure(analysis), duration_figure(analysis)
    if not first.unknown or (analysis.streamed and not duration.unknown):
        yield first
    yield duration


def figure(label: str, panel: str, value: str, aside: str, aside_tone: str = "") -> SummaryFigure:
    return SummaryFigure(label, panel, (FigureValuePart(value),), aside, aside_tone)


def unknown(label: str, panel: str, word: str, aside: str) -> SummaryFigure:
    return SummaryFigure(label, panel, (FigureValuePart(word),), aside, unknown=True)


def model_figure(view: CaptureView, analysis: Analysis) -> SummaryFigure:
    requested = view.facts.request_model
    is_other = not view.is_prompt_withheld and requested not in (None, analysis.model)
    aside = f"requested {requested}" if is_other else ""
    if analysis.model is None and not analysis.choices and requested and aside:
        return figure("model requested", "raw", requested, "")
    if analysis.model is None:
        return unknown("model answered", "raw", absent(view), aside)
    return figure("model answered", "raw", analysis.model, aside)


def dialect_figure(analysis: Analysis) -> SummaryFigure:
    """Return the dialect, with the vendor and system fingerprint where known."""
    form = "streamed" if analysis.streamed else "not streamed"
    vendor = vendor_named(analysis.vendor)
    fingerprint = top_level(analysis, "system_fingerprint")
    parts = (form, vendor.title if vendor else "", fingerprint)
    aside = ", ".join(part for part in parts if isinstance(part, str) and part)
    if analysis.dialect is None:
        return unknown("format", "raw", "unknown", aside)
    return figure("format", "raw", analysis.dialect, aside)


def top_level(analysis: Analysis, name: str) -> Any:
    completion = analysis.completion
    return completion.get(name, UNSET) if isinstance(completion, dict) else UNSET


def absent(view: CaptureView) -> str:
    """Return "unknown" if the body could not be read, else "not sent"."""
    if unread_reason(view) or view.analysis is None:
        return "unknown"
    return NOT_SENT


def finish_figure(view: CaptureView, analysis: Analysis) -> SummaryFigure:
    choices = analysis.choices
    found = analysis.service_tier
    sent = found.used if found else top_level(analysis, "service_tier")
    aside = "" if sent in (UNSET, None, "default") else f"service tier {wire_word(sent)}"
    if not choices:
        word = "unknown" if unread_reason(view) else "no choices"
        return unknown("finish reasons", "choices", word, aside)
    reasons = [finish_word(finish_name(analysis.dialect, it.finish_reason)) for it in choices]
    many = len(reasons) > MAX_IN_ORDER or len(set(reasons)) == 1
    shown = finish_counts(reasons) if many else tuple((reason, reason) for reason in reasons)
    label = "finish reason" if len(choices) == 1 else f"finish reasons, n = {len(choices)}"
    bits = tuple(
        FigureValuePart(text, "" if is_ordinary_finish(reason) else "part")
        for reason, text in shown[:MAX_FINISHES]
    )
    if len(shown) > MAX_FINISHES:
        bits = (*bits, FigureValuePart(f"{len(shown) - MAX_FINISHES} more"))
    return SummaryFigure(label, "choices", bits, aside)


def tokens_figure(view: CaptureView, analysis: Analysis) -> SummaryFigure:
    usage = analysis.usage
    if not usage.reported:
        return unknown("tokens", "usage", absent(view), why_no_usage(view, analysis))
    prompt = token_word(usage, "prompt_tokens", absent(view))
    completion = token_word(usage, "completion_tokens", absent(view))
    aside = f"{prompt} in, {completion} out"
    if both := sum_of_wholes(analysis):
        return figure("tokens", "usage", both, "in + out")
    if (
        usage.total_tokens is UNSET
        and isinstance(usage.prompt_tokens, int)
        and isinstance(usage.completion_tokens, int)
    ):
        return figure("tokens", "usage", f"{prompt} + {completion}", "in + out, no total")
    if not isinstance(usage.total_tokens, int):
        return unknown("tokens", "usage", token_word(usage, "total_tokens", absent(view)), aside)
    return figure("tokens", "usage", f"{usage.total_tokens:,}", aside)


def why_no_usage(view: CaptureView, analysis: Analysis) -> str:
    if unread_reason(view):
        return "the body was not parsed"
    return "no usage in the body"


def token_word(usage: Usage, name: str, absent: str) -> str:
    """Format a count; a value that is not a number is shown as sent, not as missing."""
    if name in odd_counts(usage):
        return "not a count"
    value = getattr(usage, name)
    if value is UNSET:
        return absent
    return f"{value:,}" if isinstance(value, int) else wire_word(value)


def cost_figure(view: CaptureView, analysis: Analysis) -> SummaryFigure:
    """Show the cost that the provider states for the whole answer, else the computed one; a sum
    over choices is exact and labelled as a sum.
    """
    texts = [choice.cost_usd for choice in analysis.choices if isinstance(choice.cost_usd, str)]
    total = exact_sum(texts) if texts else None
    if total is None:
        return computed_figure(view)
    receipt = view.once(cost_receipt)
    if receipt is not None and receipt.odd_stated:
        aside = f"{usd(total)} stated, in no sum, see findings"
        return beside_computed(view, aside)
    if len(texts) < len(analysis.choices):
        return beside_computed(view, stated_by_choices(analysis))
    aside = "for the choice" if len(texts) == 1 else f"sum of {len(texts)} choices"
    return stated_cost_figure(view, "feedback", usd(total), aside)


def beside_computed(view: CaptureView, stated: str) -> SummaryFigure:
    """Return the computed cost beside what is stated, which is no cost of the whole answer."""
    return replace(computed_figure(view), panel="feedback", aside=stated, aside_tone="part")


def stated_by_choices(analysis: Analysis) -> str:
    """``stated: $0.0021 by choice 0, none by choice 1``; of many choices only how many state it."""
    costs = [(choice.index, choice.cost_usd) for choice in analysis.choices]
    if len(costs) > MAX_IN_ORDER:
        number = sum(isinstance(cost, str) for _, cost in costs)
        return f"stated by {number:,} of {len(costs):,} choices"
    said = ((usd(cost) if isinstance(cost, str) else "none", index) for index, cost in costs)
    return "stated: " + ", ".join(f"{cost} by choice {index:,}" for cost, index in said)


def stated_cost_figure(view: CaptureView, panel: str, stated: str, aside: str) -> SummaryFigure:
    """Return the stated cost; if the computed one differs, that replaces ``aside``."""
    receipt = view.once(cost_receipt)
    if receipt is not None and receipt.is_contradicted:
        at_least = "at least " if receipt.is_lower_bound else ""
        other = f"computed {at_least}{dollars(receipt.total_usd)}"
        return figure("cost, stated", panel, stated, other, "part")
    return figure("cost, stated", panel, stated, aside)


def computed_figure(view: CaptureView) -> SummaryFigure:
    """Return the computed cost for a response that states none, or the reason it is unknown."""
    receipt = view.once(cost_receipt)
    if receipt is None:
        return unknown("cost", "usage", "unknown", "the body was not parsed")
    if receipt.stated_usd is not None:
        return stated_cost_figure(view, "usage", dollars(receipt.stated_usd), "total, from usage")
    if receipt.total_usd is None:
        reason = receipt.reason
        return unknown("cost", "usage", "unknown", reason_words(reason) if reason else "")
    cost = three_digits_usd(receipt.total_usd)
    if receipt.is_lower_bound:
        without = f"at least, excludes {unpriced_items_words(receipt.unpriced_items)}"
        return figure("cost", "usage", f"≥ {cost}", without)
    aside = "your price" if receipt.table.startswith(DATED) else "computed"
    return figure("cost", "usage", cost, aside)


def first_token_figure(analysis: Analysis) -> SummaryFigure:
    label, times = "first token", analysis.timeline
    if times.first_token_us is None:
        return unknown(label, "timeline", "unknown", why_no_first(analysis))
    content = times.first_content_us
    aside = f"content {short_time(content)}" if content is not None else "no content"
    if content == times.first_token_us:
        aside = ""
    return figure(label, "timeline", short_time(times.first_token_us), aside)


def why_no_first(analysis: Analysis) -> str:
    if not analysis.streamed:
        return "not streamed"
    if analysis.timeline.clock == "none":
        return "no times recorded"
    if analysis.timeline.clock == "partial":
        return "request time not recorded"
    return "no token"


def duration_figure(analysis: Analysis) -> SummaryFigure:
    times = analysis.timeline
    if times.duration_us is None:
        return unknown("duration", "timeline", "unknown", "no times recorded")
    label = "duration" if times.clock == "recorded" else "duration from first read"
    if times.stalls:
        longest = max(stall.end_us - stall.start_us for stall in times.stalls)
        one = len(times.stalls) == 1
        aside = f"one stall, {short_time(longest)}" if one else f"{len(times.stalls)} stalls"
        return figure(label, "timeline", short_time(times.duration_us), aside, "part")
    aside = "" if times.gaps_us else "one read"
    return figure(label, "timeline", short_time(times.duration_us), aside)


def findings_figure(findings: tuple[Finding, ...]) -> SummaryFigure:
    """Return counts by severity, the gravest first, and beside them what their marks mean."""
    if not findings:
        return figure("findings", "findings", "none", "")
    found = severity_counts(findings)
    severities = tuple((str(each), found[str(each)]) for each in Severity if str(each) in found)
    aside = ", ".join(severity for severity, _ in severities)
    return SummaryFigure("findings", "findings", (), aside, severities=severities)


def size_figure(view: CaptureView) -> SummaryFigure:
    aside = view.facts.content_type or "content type unknown"
    if view.analysis is not None and view.analysis.streamed:
        counts = view.analysis.timeline.counts
        is_one_each = counts.reads in (0, counts.chunks)
        aside = plural(counts.events, "event")
        aside += "" if is_one_each else f", {plural(counts.reads, 'read')}"
    return figure("size", "raw", size(view.row.byte_length), aside)
