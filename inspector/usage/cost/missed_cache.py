"""Extra cost of tokens paid again over reading them from the cache, by their capture's receipt."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from uuid import UUID

import msgspec

from inspector.usage.cost.billable import Billable, decode_billable
from inspector.usage.cost.money import EXACT, ticks
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.quantities import Quantities
from inspector.usage.cost.receipts import receipt_of
from inspector.usage.cost.team_prices import overrides_of
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.models import Price

_WRITES = (TokenKind.CACHE_WRITE, TokenKind.CACHE_WRITE_1H)


def missed_cache_ticks(missed_tokens: Mapping[UUID, int]) -> dict[UUID, int]:
    """By capture; those whose cost is not known are left out."""
    prices = list(Price.objects.filter(pk__in=missed_tokens)) if missed_tokens else []
    overrides = overrides_of({price.team_id for price in prices})
    found = {}
    for price in prices:
        billable, missed = decode_billable(bytes(price.billable)), missed_tokens[price.pk]
        usd = missed_cache_usd(billable, price.called_at, overrides[price.team_id], missed)
        if (cost := ticks(usd)) is not None:
            found[price.pk] = cost
    return found


def missed_cache_usd(
    billable: Billable, at: datetime, overrides: Sequence[Override], missed_tokens: int
) -> Decimal | None:
    """Return the computed cost less the one with so many more tokens read from the cache. None
    where either is unknown.
    """
    quantities = billable.quantities
    if not isinstance(quantities, Quantities):
        return None
    paid = receipt_of(billable, at, overrides).total_usd
    with_hit = replace(billable, quantities=_with_hit(quantities, missed_tokens))
    due = receipt_of(with_hit, at, overrides).total_usd
    if paid is None or due is None:
        return None
    return max(EXACT.subtract(paid, due), Decimal(0))


def _with_hit(quantities: Quantities, missed: int) -> Quantities:
    """Return them without the miss: the missed was written again first, the rest read as usual."""
    counts, left = dict(quantities.counts), missed
    for kind in _WRITES:
        taken = min(counts.get(kind, 0), left)
        if taken:
            left -= taken
            counts[kind] -= taken
            if kind in quantities.outside:
                counts[TokenKind.PROMPT] += taken
    counts[TokenKind.CACHED] = counts.get(TokenKind.CACHED, 0) + missed
    if TokenKind.CACHED in quantities.outside:
        counts[TokenKind.PROMPT] -= missed
    return msgspec.structs.replace(
        quantities, counts={kind: count for kind, count in counts.items() if count}
    )
