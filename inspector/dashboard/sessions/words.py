"""Words and numbers of the pages of sessions."""

from collections.abc import Mapping
from decimal import Decimal

from inspector.core.request.cache_miss import MissCause
from inspector.core.request.changes import ChangeKind, PromptChanges
from inspector.dashboard.text.section_words import SECTIONS
from inspector.formatting.humanize import plural, short_usd, usd
from inspector.sessions.models import Grouping
from inspector.sessions.queries import Miss, Money
from inspector.usage.cost.money import usd_of

GROUPINGS: Mapping[Grouping, str] = {
    Grouping.SESSION: "session, as stated",
    Grouping.TRACE: "trace, as stated",
    Grouping.PROMPT: "inferred: each goes on with another",
}
CAUSES: Mapping[str, str] = {
    MissCause.CHANGED: "changed prefix",
    MissCause.EXPIRED: "expired",
    MissCause.BELOW_MINIMUM: "below the minimum",
    MissCause.OTHER_ROUTE: "other route",
    MissCause.UNKNOWN: "cause unknown",
}
CHANGES: Mapping[ChangeKind, str] = {
    ChangeKind.APPENDED: "appended",
    ChangeKind.INSERTED: "inserted",
    ChangeKind.EDITED: "edited",
    ChangeKind.MOVED: "moved",
    ChangeKind.DROPPED: "dropped",
}


def span(us: int) -> str:
    """``25 ms``, ``1.8 s``, ``3 m 20 s``, ``2 h``."""
    seconds = us // 1_000_000
    if seconds < 1:
        return f"{us // 1_000} ms"
    if seconds < 60:
        return f"{us / 1_000_000:.1f}".removesuffix(".0") + " s"
    if seconds < 3_600:
        return _in_two(seconds // 60, "m", seconds % 60, "s")
    return _in_two(seconds // 3_600, "h", seconds % 3_600 // 60, "m")


def _in_two(number: int, unit: str, rest: int, smaller: str) -> str:
    return f"{number:,} {unit}" + (f" {rest} {smaller}" if rest else "")


def money(ticks: int | None) -> str:
    """Empty where it is not known."""
    text = usd_of(ticks)
    return "" if text is None else short_usd(text)


def whole_money(ticks: int) -> str:
    """Cents from a dollar on."""
    text = usd_of(ticks) or "0"
    return usd(f"{Decimal(text):,.2f}") if Decimal(text) >= 1 else short_usd(text)


def cost_words(cost: Money) -> str:
    """Empty where no cost is known."""
    return "" if cost.ticks is None else f"{'≥ ' if cost.unknown else ''}{whole_money(cost.ticks)}"


def change_words(changes: PromptChanges) -> str:
    counts = [(CHANGES[kind], changes.counts.get(kind, 0)) for kind in ChangeKind]
    told = [f"{count} {word}" for word, count in counts if count]
    if changes.parameters:
        told.append(plural(len(changes.parameters), "parameter"))
    return ", ".join(told) or "nothing changed"


def miss_words(miss: Miss) -> str:
    words = CAUSES[miss.cause]
    return f"{words}: {SECTIONS[miss.section]}" if miss.section else words
