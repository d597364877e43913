"""The head of the capture page: one sentence and nine figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis, Clause
from inspector.core.completion import Usage, known
from inspector.core.dialects import is_read, vendor_named
from inspector.core.findings import Finding, Severity
from inspector.core.ledger import odd_counts
from inspector.core.money import sum_of
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.cost_words import missing_words, reason_words
from inspector.dashboard.cuts import cuts_sentence
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panels import unread
from inspector.dashboard.panels.findings import counts, grouped, sorted_findings
from inspector.dashboard.receipt import least
from inspector.dashboard.targets import where_href
from inspector.dashboard.templatetags.formats import plural, seconds, size, usd
from inspector.dashboard.verdicts import Word, word_for
from inspector.dashboard.wire import ORDINARY_FINISHES, absent_word, finish_word, wire_word
from inspector.usage.money import dollars

SAID_BY_VERDICT = ("envelope.provider-error", "envelope.not-a-response", "json.invalid")


@dataclass(frozen=True, slots=True)
class Bit:
    """A part of a figure's value with its own tone."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One value that links to its panel.

    Where it is ``unknown`` a word stands in its place; ``aside_tone`` warns of a disagreement.
    """

    label: str
    panel: str
    value: tuple[Bit, ...]
    aside: str
    aside_tone: str = ""
    unknown: bool = False
    severities: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """A part of the sentence; ``href`` leads to the place that shows it, empty where none does."""

    text: tuple[Segment, ...]
    href: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    verdict: Word
    sentence: tuple[Said, ...]
    """What follows the verdict: why it holds, then the worst finding."""
    cut: tuple[Segment, ...]
    """What the reading that is shown lacks; empty where it is whole."""
    figures: tuple[Figure, ...]


def summary_of(view: CaptureView) -> Summary:
    return Summary(
        # Of the reading that the page shows: it may be newer than the one that lists tell.
        verdict=word_for(view.row.state, view.analysis.verdict if view.analysis else None),
        sentence=(*reason(view), *worst_said(view.findings)),
        cut=exact(cuts_sentence(view.cuts)) if view.in_full else (),
        figures=tuple(figures(view)),
    )


def reason(view: CaptureView) -> Iterator[Said]:
    if view.analysis is None:
        yield Said(exact(why_unread(view)))
        return
    # What older versions stored has no clauses.
    whole = (Clause(view.analysis.verdict_reason),)
    for clause in view.analysis.verdict_clauses or whole:
        yield Said(exact(clause.text), where_href(view, clause.where))


def why_unread(view: CaptureView) -> str:
    if view.row.state == "quarantined":
        return view.page.quarantine_reason or "The analysis failed without a reason."
    return "Stored byte for byte; the analysis follows in a moment."


def worst_said(findings: tuple[Finding, ...]) -> Iterator[Said]:
    """The finding that the sentence ends with, as a link to its row.

    An info is not worth one, and a finding that only repeats the verdict was said before.
    """
    rows = grouped(sorted_findings(findings))
    for number, (first, *_) in enumerate(rows, start=1):
        repeats = first.code.startswith("ending.") or first.code in SAID_BY_VERDICT
        if first.severity is not Severity.INFO and not repeats:
            yield Said(exact(" "))
            yield Said(exact(first.message), f"#finding-{number}", str(first.severity))
            return


def figures(view: CaptureView) -> Iterator[Figure]:
    yield size_figure(view) if view.analysis is None else model_figure(view, view.analysis)
    if view.analysis is None:
        return
    yield dialect_figure(view.analysis)
    yield finish_figure(view, view.analysis)
    yield tokens_figure(view, view.analysis)
    yield cost_figure(view, view.analysis)
    yield first_token_figure(view.analysis)
    yield duration_figure(view.analysis)
    yield findings_figure(view.findings)
    yield size_figure(view)


def figure(label: str, panel: str, value: str, aside: str, aside_tone: str = "") -> Figure:
    return Figure(label, panel, (Bit(value),), aside, aside_tone)


def unknown(label: str, panel: str, word: str, aside: str) -> Figure:
    return Figure(label, panel, (Bit(word),), aside, unknown=True)


def model_figure(view: CaptureView, analysis: Analysis) -> Figure:
    asked = view.page.request_model
    if asked is None:
        aside, tone = "requested model not known", ""
    elif asked == analysis.model:
        aside, tone = "as requested", ""
    else:
        aside, tone = f"requested {asked}", ""
    if analysis.model is None:
        return unknown("model answered", "raw", absent(view), aside)
    return figure("model answered", "raw", analysis.model, aside, tone)


def dialect_figure(analysis: Analysis) -> Figure:
    """Vendor and the backend's fingerprint stand here, where they are known."""
    form = "streamed" if analysis.streamed else "not streamed"
    vendor = vendor_named(analysis.vendor)
    fingerprint = top_level(analysis, "system_fingerprint")
    told = (form, vendor.title if vendor else "", fingerprint)
    aside = ", ".join(part for part in told if isinstance(part, str) and part)
    if analysis.dialect is None:
        return unknown("dialect", "raw", "unknown", aside)
    return figure("dialect", "raw", analysis.dialect, aside)


def top_level(analysis: Analysis, name: str) -> Any:
    completion = analysis.completion
    return completion.get(name, UNSET) if isinstance(completion, dict) else UNSET


def absent(view: CaptureView) -> str:
    """Of a body that could not be read nobody knows what was sent."""
    if unread(view) or view.analysis is None:
        return "unknown"
    return absent_word(view.analysis.dialect)


def finish_figure(view: CaptureView, analysis: Analysis) -> Figure:
    choices = analysis.choices
    found = analysis.service_tier
    sent = found.used if found else top_level(analysis, "service_tier")
    tier = f"service tier {absent(view) if sent is UNSET else wire_word(sent)}"
    if not choices:
        word = "unknown" if unread(view) else "no choices"
        return unknown("finish reasons", "choices", word, tier)
    shown = [(finish_word(c.finish_reason), c.finish_reason in ORDINARY_FINISHES) for c in choices]
    label = "finish reason" if len(choices) == 1 else f"finish reasons, n = {len(choices)}"
    if len(shown) > 4 and len(set(shown)) == 1:
        shown = [(f"{shown[0][0]} × {len(choices)}", shown[0][1])]
    bits = tuple(Bit(text, "" if ordinary else "part") for text, ordinary in shown[:6])
    if len(shown) > 6:
        bits = (*bits, Bit(f"{len(shown) - 6} more"))
    return Figure(label, "choices", bits, tier)


def tokens_figure(view: CaptureView, analysis: Analysis) -> Figure:
    usage = analysis.usage
    if not usage.reported:
        return unknown("tokens", "usage", absent(view), why_no_usage(view, analysis))
    prompt = token_word(usage, "prompt_tokens", absent(view))
    completion = token_word(usage, "completion_tokens", absent(view))
    aside = f"{prompt} in, {completion} out"
    if not isinstance(usage.total_tokens, int):
        return unknown("tokens", "usage", token_word(usage, "total_tokens", absent(view)), aside)
    return figure("tokens", "usage", f"{usage.total_tokens:,}", aside)


def why_no_usage(view: CaptureView, analysis: Analysis) -> str:
    if unread(view):
        return "the body was not parsed"
    if not is_read(analysis.dialect):
        return f"{analysis.dialect}: only events and times are parsed"
    return "no usage in the body"


def token_word(usage: Usage, name: str, absent: str) -> str:
    """A count, or why there is none: what was sent and is no count was sent all the same."""
    if name in odd_counts(usage):
        return "not a count"
    value = getattr(usage, name)
    if value is UNSET:
        return absent
    return f"{value:,}" if isinstance(value, int) else wire_word(value)


def cost_figure(view: CaptureView, analysis: Analysis) -> Figure:
    """As stated, else as computed; the sum of several choices is exact and says that it is one."""
    stated = [choice.cost_usd for choice in analysis.choices if known(choice.cost_usd)]
    texts = [text for text in stated if isinstance(text, str)]
    total = sum_of(texts) if texts else None
    in_all = analysis.usage.cost
    if total is None and isinstance(in_all, str):
        return disputed(view, "usage", usd(in_all), "total, from usage")
    if total is None:
        return computed_figure(view)
    if isinstance(in_all, str) and is_other_amount(in_all, total):
        return figure("cost, stated", "usage", usd(total), f"usage says {usd(in_all)}", "part")
    if len(texts) < len(analysis.choices):
        aside = f"stated by {len(texts)} of {len(analysis.choices)} choices"
        return figure("cost, stated", "feedback", usd(total), aside, "part")
    aside = "for the choice" if len(texts) == 1 else f"sum of {len(texts)} choices"
    return disputed(view, "feedback", usd(total), aside)


def disputed(view: CaptureView, panel: str, stated: str, aside: str) -> Figure:
    """A stated cost; that the computed one is another is told in place of ``aside``."""
    if view.receipt is not None and view.receipt.is_contradicted:
        at_least = "at least " if view.receipt.is_lower_bound else ""
        other = f"computed {at_least}{dollars(view.receipt.total_usd)}"
        return figure("cost, stated", panel, stated, other, "part")
    return figure("cost, stated", panel, stated, aside)


def computed_figure(view: CaptureView) -> Figure:
    """Of an answer no choice of which states one: what the receipt says, or why it says none."""
    if view.receipt is None or unread(view):
        return unknown("cost", "usage", "unknown", "the body was not parsed")
    if view.receipt.stated_usd is not None:
        return disputed(view, "usage", dollars(view.receipt.stated_usd), "total, from usage")
    if view.receipt.total_usd is None:
        reason = view.receipt.reason
        return unknown("cost", "usage", "unknown", reason_words(reason) if reason else "")
    if view.receipt.is_lower_bound:
        without = f"at least, excludes {listed(view.receipt.missing)}"
        return figure("cost", "usage", least(view.receipt), without)
    cost = dollars(view.receipt.total_usd)
    return figure("cost", "usage", cost, f"computed by {view.receipt.table}")


def is_other_amount(text: str, total: str) -> bool:
    """``0.10`` is ``0.1``; what is no amount is another."""
    plain = sum_of([text])
    return plain is None or Decimal(plain) != Decimal(total)


def first_token_figure(analysis: Analysis) -> Figure:
    label, times = "time to first token", analysis.timeline
    if times.first_token_us is None:
        return unknown(label, "timeline", "unknown", why_no_first(analysis))
    content = times.first_content_us
    aside = f"content {seconds(content)}" if content is not None else "no content"
    return figure(label, "timeline", seconds(times.first_token_us), aside)


def why_no_first(analysis: Analysis) -> str:
    if not analysis.streamed:
        return "not streamed"
    if analysis.timeline.clock == "none":
        return "no arrival times recorded"
    if analysis.timeline.clock == "partial":
        return "request time not recorded"
    return "no token"


def duration_figure(analysis: Analysis) -> Figure:
    times = analysis.timeline
    if times.duration_us is None:
        return unknown("duration", "timeline", "unknown", "no arrival times recorded")
    label = "duration" if times.clock == "recorded" else "duration from first read"
    if times.stalls:
        longest = max(stall.end_us - stall.start_us for stall in times.stalls)
        one = len(times.stalls) == 1
        aside = f"one stall, {seconds(longest)}" if one else f"{len(times.stalls)} stalls"
        return figure(label, "timeline", seconds(times.duration_us), aside, "part")
    aside = f"longest gap {seconds(times.gaps_us.max)}" if times.gaps_us else "one read"
    return figure(label, "timeline", seconds(times.duration_us), aside)


def findings_figure(findings: tuple[Finding, ...]) -> Figure:
    """All three counts, also where one is 0."""
    by_severity = counts(findings)
    severities = tuple((str(each), by_severity.get(str(each), 0)) for each in Severity)
    return Figure("findings", "findings", (), "error, warning, info", severities=severities)


def size_figure(view: CaptureView) -> Figure:
    aside = view.page.content_type or "content type unknown"
    if view.analysis is not None and view.analysis.streamed:
        chunks, reads = view.analysis.timeline.counts.chunks, view.analysis.timeline.counts.reads
        aside = plural(chunks, "chunk") + (f", {plural(reads, 'read')}" if reads else "")
    return figure("size", "raw", size(view.row.byte_length), aside)
