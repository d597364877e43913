"""Measures that a reader weighs beside the answers: cost and time of each side, in the headline."""

from collections.abc import Iterator
from decimal import Decimal
from uuid import UUID

from inspector.dashboard.compare.side import ComparedSide, Sides
from inspector.formatting.humanize import seconds, usd
from inspector.usage.cost.money import TICKS
from inspector.usage.rollup.queries import ComputedCost

Costs = dict[UUID, ComputedCost]


def measure_clauses(sides: Sides, costs: Costs) -> Iterator[str]:
    """Yield ``A costs $0.0004, B $0.0012``; nothing of what is not known of both, or is of both
    alike.
    """
    before, after = (cost_of(side, costs) for side in sides)
    if before is not None and after is not None and before != after:
        yield f"A costs {usd(str(before))}, B {usd(str(after))}"
    first, other = (took(side) for side in sides)
    if first is not None and other is not None and seconds(first) != seconds(other):
        yield f"A took {seconds(first)}, B {seconds(other)}"


def took(side: ComparedSide) -> int | None:
    return side.analysis.timeline.duration_us if side.analysis else None


def cost_of(side: ComparedSide, costs: Costs) -> Decimal | None:
    """As the list shows it."""
    found = costs.get(side.named.id)
    return (
        None if found is None or found.listed_ticks is None else Decimal(found.listed_ticks) / TICKS
    )
