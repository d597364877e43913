"""The headline of a capture: one sentence with what its reader got, where it broke, and why. Page,
shared page, paste and comparison show the same.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus

from inspector.core.analysis import Analysis, SentenceClause, Verdict
from inspector.core.answer.sentence import Sentence
from inspector.core.completion import BlockKind, Result
from inspector.core.findings import Finding, Severity, Where, shorten
from inspector.core.media.audio import audio_of
from inspector.core.tool_calls.call_faults import call_name, choice_calls
from inspector.dashboard.capture.exchange.known_headers import header_meaning
from inspector.dashboard.capture.exchange.rate_limits import rate_limits_of
from inspector.dashboard.capture.findings.panel import (
    element_of_location,
    group_findings,
    sorted_findings,
)
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.locations import element_id_of, location_href
from inspector.dashboard.capture.page.urls import byte_href
from inspector.formatting.humanize import plural, short_time
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.verdicts import (
    GOOD_RESULTS,
    VerdictTone,
    analysis_label,
    ending_sentence,
    verdict_label,
)

CODES_TOLD_BY_VERDICT = ("envelope.provider-error", "envelope.not-a-response", "json.invalid")
CODES_TOLD_BY_RESULT = {Result.EMPTY: "choice.says-nothing"}
BROKEN_CALLS = ("tool.arguments-truncated", "tool.arguments-invalid")
LEADS: dict[str, str] = {Result.ERROR: "Failed", Result.UNUSABLE_CALL: "Unusable call"}
"""Results that a headline calls otherwise."""
RETRY_HEADERS = ("retry-after", "retry-after-ms")
MIN_QUOTED = 20
"""Characters of a quotation that stands nowhere by chance."""
MAX_ERROR = 160
"""Characters of the provider's words: two lines; the bytes below have all."""
MAX_LIMITS = 2
MAX_NAMES = 3
"""It is one sentence; the panel has all of them."""
# As in "MemoryError: it takes more than 128 MiB": what people need is behind it.
OWN_ERROR = re.compile(r"^\w+Error: ")


@dataclass(frozen=True, slots=True)
class HeadlinePart:
    """A part of the sentence; ``href`` is empty where there is nothing to link to."""

    text: tuple[TextSegment, ...]
    href: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Headline:
    lead: str
    """Such as ``Truncated.``"""
    tone: VerdictTone
    parts: tuple[HeadlinePart, ...]

    @property
    def words(self) -> str:
        """The whole sentence as a text."""
        said = (segment.text for part in self.parts for segment in part.text)
        return " ".join(f"{self.lead} {''.join(said)}".split()).removesuffix(".")


def headline(view: CaptureView) -> Headline:
    analysis = view.analysis
    if view.row.state == "quarantined":
        return Headline("Not analysed.", VerdictTone.PARTIAL, (_part(why_unread(view)),))
    if analysis is None:
        label = verdict_label(view.row.state, None)
        return Headline(label.sentence, label.tone, (_part(why_unread(view)),))
    label = analysis_label(analysis)
    if analysis.verdict is Verdict.PROVIDER_ERROR:
        parts = tuple(_error(view, ending_sentence(analysis)))
        return Headline(_error_lead(label.sentence, view.facts.status_code), label.tone, parts)
    if not label.is_complete or analysis.result == Result.UNKNOWN:
        parts = (*_clauses(view, ending_sentence(analysis)), *worst_finding(view))
        return Headline(label.sentence, label.tone, parts)
    lead = f"{LEADS.get(analysis.result) or analysis.result.replace('-', ' ').capitalize()}."
    if analysis.result in GOOD_RESULTS:
        lead = "Called" if analysis.result == Result.CALLED else lead
        return Headline(lead, label.tone, (*_gist(view, analysis), *worst_finding(view)))
    parts = tuple(broken_call(view)) or (
        *_clauses(view, _capitalized(analysis.result_clauses)),
        *worst_finding(view),
    )
    return Headline(lead, label.tone, parts)


def why_unread(view: CaptureView) -> str:
    if view.not_read:
        return view.not_read
    if view.row.state == "quarantined":
        reason = OWN_ERROR.sub("", view.facts.quarantine_reason or "no reason was told").rstrip(".")
        return f"Three tries failed: {reason[:1].lower()}{reason[1:]}."
    return "Stored byte for byte; the analysis follows in a moment."


def broken_call(view: CaptureView) -> Iterator[HeadlinePart]:
    """Yield the call whose arguments break, and the byte where they do; nothing if all can
    be used.
    """
    found = [each for each in sorted_findings(view.findings) if each.code in BROKEN_CALLS]
    if not found:
        return
    message, where = found[0].message.rstrip("."), found[0].where
    what, colon, why = message.partition(": ")
    at = "" if where.pointer is None else f"#{element_id_of(view.analysis, where.pointer)}"
    yield _part(what, at, Severity.ERROR)
    if where.byte_start is not None and view.body:
        yield _part(" at ")
        yield _part(f"byte {where.byte_start:,}", byte_href(view, where.byte_start))
    yield _part(f"{colon}{why}.")


def worst_finding(view: CaptureView) -> Iterator[HeadlinePart]:
    """Yield the worst finding, leading to what it is about; none for infos and for what repeats
    verdict or result.
    """
    for number, (first, *_) in enumerate(group_findings(sorted_findings(view.findings)), start=1):
        if first.severity is not Severity.INFO and not _is_told(view.analysis, first):
            yield _part(" ")
            href = _place_of(view, first) or f"#finding-{number}"
            yield _part(first.message, href, first.severity)
            return


def _place_of(view: CaptureView, found: Finding) -> str:
    """Link to the call, choice, drawing or bytes; empty where only the finding names its place."""
    where = found.where
    if found.code.startswith("timing."):
        return "#timeline"
    if where.pointer is not None:
        target = element_of_location(view, where.event, where.pointer)
        if target != "raw":
            return f"#{target}"
    return location_href(view, Where(event=where.event, byte_start=where.byte_start))


def _is_told(analysis: Analysis | None, found: Finding) -> bool:
    if found.code.startswith("ending.") or found.code in CODES_TOLD_BY_VERDICT:
        return True
    if analysis is None:
        return False
    if found.code == "timing.stall" and " of silence" in analysis.verdict_reason:
        return True
    told = (analysis.verdict_reason, analysis.result_reason)
    quoted = found.message.partition(": ")[2].rstrip(".")
    if len(quoted) > MIN_QUOTED and any(quoted in each for each in told):
        return True
    return found.message in told or found.code == CODES_TOLD_BY_RESULT.get(analysis.result)


def _gist(view: CaptureView, analysis: Analysis) -> Iterator[HeadlinePart]:
    """Yield the gist: what came, and how long it took."""
    is_call = analysis.result == Result.CALLED
    what = _called(view, analysis) if is_call else _answered(view, analysis)
    took = analysis.timeline.duration_us
    words = " ".join(filter(None, (what, f"in {short_time(took)}" if took is not None else "")))
    if words:
        yield _part(words if is_call and what else words[:1].upper() + words[1:], "#choices")
        yield _part(".")


def _called(view: CaptureView, analysis: Analysis) -> str:
    calls = [call for choice in analysis.choices for call, _ in choice_calls(choice)]
    if view.row.body_deleted_at is not None:
        return plural(len(calls), "tool")
    names = list(dict.fromkeys(map(call_name, calls)))
    more = [f"{len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
    return ", ".join([*names[:MAX_NAMES], *more])


def _answered(view: CaptureView, analysis: Analysis) -> str:
    if len(analysis.choices) != 1:
        return plural(len(analysis.choices), "choice")
    choice = analysis.choices[0]
    texts = [it.text for it in choice.blocks if it.kind is BlockKind.TEXT]
    length = sum(len(text) for text in texts if isinstance(text, str))
    # Of a large capture the stored texts are cut.
    found = [plural(length, "character")] if length and not view.cuts else []
    kinds = Counter(it.kind for it in choice.blocks)
    if number := kinds[BlockKind.IMAGE]:
        found.append(plural(number, "image"))
    if kinds[BlockKind.AUDIO] or audio_of(choice) is not None:
        found.append("audio")
    return " and ".join(found)


def _error_lead(words: str, status: int | None) -> str:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return f"Rate limited ({status})."
    is_failure = status is not None and status >= HTTPStatus.BAD_REQUEST
    return f"{words.rstrip('.')} ({status})." if is_failure else words


def _error(view: CaptureView, clauses: Sentence) -> Iterator[HeadlinePart]:
    """Yield the provider's own words; of an error within a stream also where it came."""
    *before, said = clauses
    if [each.text for each in before] == ["The provider sent ", "an error"]:
        if view.facts.status_code == HTTPStatus.TOO_MANY_REQUESTS and (wait := _wait(view)):
            yield _part(wait, "#exchange")
            return
        words = shorten(said.text.removeprefix(": "), MAX_ERROR)
        yield _part(words, location_href(view, before[-1].where))
    else:
        words = shorten(said.text, MAX_ERROR)
        yield from _clauses(view, (*before, SentenceClause(words, said.where)))


def _wait(view: CaptureView) -> str:
    """``Try again after 2 s; 880 tokens left.``; empty if no header says when."""
    headers = view.facts.headers or ()
    when = [header_meaning(*each) for each in headers if each[0].lower() in RETRY_HEADERS][:1]
    limits = [each for each in rate_limits_of(headers) if each.remaining is not None]
    left = [f"{each.remaining} {each.subject} left" for each in limits]
    words = "; ".join((*when, *left[:MAX_LIMITS])) if when else ""
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _clauses(view: CaptureView, clauses: Sentence) -> Iterator[HeadlinePart]:
    for clause in clauses:
        yield _part(clause.text, location_href(view, clause.where))


def _capitalized(clauses: Sentence) -> Sentence:
    if not clauses:
        return clauses
    first = clauses[0]
    return SentenceClause(first.text[:1].upper() + first.text[1:], first.where), *clauses[1:]


def _part(text: str, href: str = "", tone: str = "") -> HeadlinePart:
    return HeadlinePart(exact_segments(text), href, str(tone))
