"""The sentence about caches of providers that were missed in a period."""

from collections.abc import Iterable
from decimal import Decimal

from inspector.core.request.cache_miss import MissCause
from inspector.core.request.outline import Section
from inspector.dashboard.text.section_words import SECTIONS
from inspector.formatting.humanize import plural, short_usd
from inspector.period_usage import MissedCaches, MissedTokens


def missed_cache_sentence(missed: MissedCaches) -> str:
    """``Cache missed: $4.12, of it changed prefix $3.80, first at tools.`` Empty where no tokens
    were paid again.
    """
    causes = {cause: each for cause, each in missed.causes.items() if each.tokens}
    if not causes:
        return ""
    whole = f"Cache missed: {_amount(causes.values())}"
    changed = causes.get(MissCause.CHANGED)
    if changed is None:
        return f"{whole}."
    return f"{whole}, of it changed prefix {_amount([changed])}{_first_at(missed)}."


def _first_at(missed: MissedCaches) -> str:
    """Where most of it departs."""
    most = max(missed.sections.items(), key=lambda each: each[1].tokens, default=None)
    return f", most at {SECTIONS[Section(most[0])]}" if most else ""


def _amount(found: Iterable[MissedTokens]) -> str:
    """Money, else tokens where no cost is known."""
    each = list(found)
    known = [Decimal(it.missed_usd) for it in each if it.missed_usd is not None]
    if not known:
        return plural(sum(it.tokens for it in each), "token")
    least = "at least " if any(it.cost_unknown for it in each) else ""
    return f"{least}{short_usd(f'{sum(known):f}')}"
