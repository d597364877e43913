"""The reading itself: where it does not take apart all that came."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.facts import Facts
from inspector.core.findings import Severity, Where
from inspector.core.limits import LIMITS
from inspector.core.rules.rule import Remark, rule


@rule("reading.capped", Severity.WARNING, is_last=True)
def capped(facts: Facts) -> Iterator[Remark]:
    """The response has more parts than one analysis reads; all bytes are kept and shown.
    The analysis does not cover the whole response.
    """
    parts = [
        f"the first {LIMITS[kind]:,} {kind} ({count:,} more came)"
        for kind, count in facts.left_out.items()
    ]
    if parts:
        yield f"Only these parts were analysed: {', '.join(parts)}.", Where()
