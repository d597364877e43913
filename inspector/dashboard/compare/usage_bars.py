"""Cost and tokens of both sides as pairs of bars, each pair on an axis of its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from inspector.core.tokens.ledger import UsageLedger, UsageLedgerEntry
from inspector.dashboard.charts.token_bars import SCALE, TokenBar, TokenBarPart, build_token_bars
from inspector.dashboard.compare.measures import Costs, cost_of
from inspector.dashboard.compare.side import Sides
from inspector.formatting.humanize import three_digits_usd

DRAWN = ("prompt_tokens", "completion_tokens")


@dataclass(frozen=True, slots=True)
class BarPair:
    name: str
    bars: tuple[tuple[str, TokenBar], ...]
    """With the letter of its side."""

    @property
    def legend(self) -> dict[str, str]:
        """Words of the parts by their fill; what one bar alone has says so."""
        letters: dict[str, str] = {}
        names: dict[str, str] = {}
        for letter, part in ((letter, part) for letter, bar in self.bars for part in bar.parts):
            letters[part.fill] = letters.get(part.fill, "") + letter
            names[part.fill] = names.get(part.fill) or part.name
        return {
            fill: name if len(letters[fill]) > 1 else f"{name}, only {letters[fill]}"
            for fill, name in names.items()
            if name
        }


def bar_pairs(
    sides: Sides, ledgers: tuple[UsageLedger, UsageLedger], costs: Costs
) -> Iterator[BarPair]:
    """Yield what is a number on both sides."""
    letters = [side.letter for side in sides]
    for name, bars in (
        ("cost", cost_bars(cost_of(sides[0], costs), cost_of(sides[1], costs))),
        *((name.replace("_", " "), token_bars(name, ledgers)) for name in DRAWN),
    ):
        if bars:
            yield BarPair(name, tuple(zip(letters, bars, strict=True)))


def cost_bars(first: Decimal | None, other: Decimal | None) -> tuple[TokenBar, ...]:
    if first is None or other is None or not (largest := max(first, other)):
        return ()
    return cost_bar(first, largest), cost_bar(other, largest)


def cost_bar(amount: Decimal, largest: Decimal) -> TokenBar:
    width = round(float(SCALE * amount / largest), 2)
    parts = (TokenBarPart("", "prompt", None, 0, width),)
    return TokenBar("cost", None, three_digits_usd(amount), width, parts, (), overlaps=False)


def token_bars(name: str, ledgers: tuple[UsageLedger, UsageLedger]) -> tuple[TokenBar, ...]:
    found = [entry_of(ledger, name) for ledger in ledgers]
    known = tuple(each for each in found if each and isinstance(each.count, int))
    return build_token_bars(known) if len(known) == len(found) else ()


def entry_of(ledger: UsageLedger, name: str) -> UsageLedgerEntry | None:
    parts = ledger.total.parts if ledger.total else ()
    return next((part for part in parts if part.name == name), None)
