"""Compares which response headers came, whatever their values: those of ids, dates and limits
differ between any two responses.
"""

from __future__ import annotations

from inspector.core.wire.exchange import Headers
from inspector.dashboard.compare.section import ComparisonSection, Names, compare_names
from inspector.dashboard.compare.side import Sides, those_without

TITLE = "Response headers"


def compare_headers(sides: Sides) -> ComparisonSection:
    before, after = (side.facts.headers for side in sides)
    if before is None or after is None:
        whose = those_without(sides, lambda side: side.facts.headers)
        why = f"Not compared: those of {whose} are not known."
        return ComparisonSection("headers", TITLE, why, count="–")
    found = names_of(before), names_of(after)
    return compare_names("headers", TITLE, sides, found, ("header", "header"))


def names_of(headers: Headers) -> Names:
    """In small letters: the case of a header's name says nothing (RFC 9110, section 5.1)."""
    return dict.fromkeys(name.lower() for name, _ in headers)
