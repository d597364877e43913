"""Missed caches: their cost by the receipt, and a finding for each."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from inspector.archive.inspection import added_findings
from inspector.core.findings import Finding, Severity
from inspector.core.request.cache_miss import CacheMiss, MissCause
from inspector.core.request.outline import Section
from inspector.core.rules.added_findings import MISSED_CACHE
from inspector.sessions.models import Turn
from inspector.usage.cost.missed_cache import missed_cache_ticks

SOURCE = "turns"
"""Source of the findings."""
SECTION_WORDS: Mapping[Section, str] = {
    Section.TOOLS: "the tools",
    Section.SYSTEM: "the system prompt",
    Section.HISTORY: "the history",
    Section.RESULTS: "the results of tools",
    Section.MEDIA: "images and files",
}
ROUTE_WORDS = {
    "vendor": "provider",
    "model": "model",
    "upstream": "upstream",
    "key": "key of the cache",
    "tier": "service tier",
    "fingerprint": "system fingerprint",
}


def note(found: Sequence[tuple[Turn, CacheMiss | None]], own: Collection[UUID]) -> None:
    """Set the columns of the turns and replace their findings. The captures are those of the
    transaction (``own``), or locked here; one that another transaction holds is noted by that.
    """
    costs = missed_cache_ticks({row.pk: miss.missed_tokens for row, miss in found if miss})
    for row, miss in found:
        row.cause = miss.cause if miss else None
        row.section = miss.section if miss else None
        row.is_due = miss.is_due if miss else False
        row.missed_tokens = miss.missed_tokens if miss else None
        row.missed_ticks = costs.get(row.pk) if miss else None
    others = added_findings.lock_free([row.pk for row, _ in found if row.pk not in own])
    held = {*own, *others}
    noted = {row.pk: (finding_of(miss),) if miss else () for row, miss in found if row.pk in held}
    added_findings.replace_findings(SOURCE, noted, noted)


def finding_of(miss: CacheMiss) -> Finding:
    severity = Severity.INFO if miss.is_due else MISSED_CACHE.severity
    return Finding(code=MISSED_CACHE.code, severity=severity, message=sentence(miss))


def sentence(miss: CacheMiss) -> str:
    if miss.cause is MissCause.BELOW_MINIMUM:
        return "The marked prompt is shorter than what the provider caches."
    about = "about " if miss.is_derived else ""
    read = f"{miss.stated_tokens:,} of {about}{miss.expected_tokens:,} tokens came from the cache"
    return f"{read}: {_why(miss)}."


def _why(miss: CacheMiss) -> str:
    match miss.cause:
        case MissCause.CHANGED:
            where = SECTION_WORDS[miss.section] if miss.section else "it"
            return f"the prompt departs from the turn before in {where}"
        case MissCause.EXPIRED:
            return "more time passed than the provider keeps them"
        case MissCause.OTHER_ROUTE:
            return f"another {' and '.join(ROUTE_WORDS[each] for each in miss.route)}"
    return "nothing that was sent says why"
