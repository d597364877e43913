"""What the list could be narrowed by, with how many captures there are of each."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.archive.conditions import Condition
from inspector.archive.counts import Counts, Facet, Value
from inspector.core.findings import Severity
from inspector.dashboard.narrowed import Narrowed

TITLES = {
    "verdict": "verdict",
    "finding": "finding, by severity",
    "model": "model answered",
    "finish_reason": "finish reason",
    "dialect": "dialect",
    "tag": "tag",
}
SHOWN = 6
MOST = 50
NONE = {"verdict": "not inspected", "model": "none named", "dialect": "not recognised"}


@dataclass(frozen=True, slots=True)
class Choice:
    """``query`` is None for what no condition can say."""

    text: str
    number: int
    query: str | None
    holds: bool


@dataclass(frozen=True, slots=True)
class ShownFacet:
    name: str
    title: str
    first: tuple[Choice, ...]
    more: tuple[Choice, ...]
    rest: int
    """Values that are not listed at all."""

    @property
    def more_number(self) -> int:
        return sum(choice.number for choice in self.more)


def facets_of(counts: Counts, narrowed: Narrowed) -> tuple[ShownFacet, ...]:
    """Those with anything to choose, or to take away."""
    shown = (facet_of(facet, narrowed) for facet in counts.facets)
    return tuple(facet for facet in shown if any(each.number or each.holds for each in facet.first))


def facet_of(facet: Facet, narrowed: Narrowed) -> ShownFacet:
    numbers = dict(facet.values)
    held = [each.value for each in narrowed.conditions.of(facet.name) if each.value not in numbers]
    if facet.name == "finding":
        severities = {severity: numbers.get(severity, 0) for severity in map(str, Severity)}
        values: list[tuple[Value, int]] = [*severities.items()]
    else:
        values = [*facet.values, *((value, 0) for value in held)]
    choices = [choice_of(facet.name, value, number, narrowed) for value, number in values]
    if facet.name != "finding":
        # What holds is never folded away.
        choices.sort(key=lambda choice: not choice.holds)
    most = choices[:MOST]
    return ShownFacet(
        name=facet.name,
        title=TITLES[facet.name],
        first=tuple(most[:SHOWN] if len(most) > SHOWN + 1 else most),
        more=tuple(most[SHOWN:] if len(most) > SHOWN + 1 else ()),
        rest=len(choices) - len(most),
    )


def choice_of(name: str, value: Value, number: int, narrowed: Narrowed) -> Choice:
    if not value:
        return Choice(value or NONE.get(name, "empty"), number, None, holds=False)
    condition = Condition(name, value)
    holds = condition in narrowed.conditions.all
    return Choice(value, number, narrowed.toggled(condition), holds)


def coverage(counts: Counts) -> str:
    """Empty where all were counted."""
    return "" if counts.is_all else f"of the newest {counts.number:,} that match"
