"""The facts of a response that its cost depends on, without any price.

They are stored beside each capture, so that repricing is arithmetic and reads no evidence.
"""

import json
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.decoded_types import built
from inspector.core.fields.service_tier import STANDARD_WORDS, ServiceTier
from inspector.core.json import Json
from inspector.database.column_text import clean_name_or_none
from inspector.usage.cost.notes import SentValue, sent_value
from inspector.usage.cost.quantities import Quantities, quantities_of
from inspector.usage.cost.stated_cost import StatedCost, stated_cost_of
from inspector.usage.cost.unknown import CostUnknown

NAME_CHARACTERS = 500
"""Names are cut to this length; no price table has longer ones."""
FINGERPRINT_CHARACTERS = 200
"""The width of the column."""
TIER_CHARACTERS = 63
"""Length of the columns for service tiers."""

StatedTier = str | SentValue
"""A service tier as stated: its name, or what stands in place of one."""


@dataclass(frozen=True, slots=True)
class Billable:
    """The facts of one response that its cost depends on. ``model`` is the model in the response,
    else (``is_request_model``) the one in the request; empty where neither names one.
    """

    vendor: str | None
    model: str
    is_request_model: bool
    tier: StatedTier
    """As stated in the response; empty where none is stated."""
    quantities: Quantities | CostUnknown
    stated: StatedCost
    other_tiers: tuple[StatedTier, ...] = ()
    """Other tiers stated in the same response."""
    is_ambiguous_tier: bool = False
    """The last of ``other_tiers`` was stated together with ``tier``, and has other rates."""

    @property
    def possible_tiers(self) -> tuple[StatedTier, ...]:
        """The tier that was used; two where either may have been, none where none is stated."""
        if self.is_ambiguous_tier:
            return self.tier, self.other_tiers[-1]
        return (self.tier,) if self.tier else ()


def billable_of(analysis: Analysis, request_model: str | None) -> Billable:
    found = analysis.service_tier
    return Billable(
        vendor=analysis.vendor,
        model=(analysis.model or request_model or "")[:NAME_CHARACTERS],
        is_request_model=not analysis.model and bool(request_model),
        tier=_stated_tier(found.used) if found else "",
        quantities=quantities_of(analysis),
        stated=stated_cost_of(analysis),
        other_tiers=tuple(map(_stated_tier, found.others)) if found else (),
        is_ambiguous_tier=found is not None and is_ambiguous(found),
    )


def is_ambiguous(found: ServiceTier) -> bool:
    """Two tiers were stated at once, and not both are words for the usual rates."""
    both = (found.used, *found.others[-1:])
    is_usual = all(isinstance(tier, str) and tier in STANDARD_WORDS for tier in both)
    return found.is_contradicted and not is_usual


def _stated_tier(tier: Json) -> StatedTier:
    if tier in (UNSET, None):
        return ""
    return tier[:NAME_CHARACTERS] if isinstance(tier, str) else sent_value(tier)


class TierNames(NamedTuple):
    """The service tier that sums are grouped by. Where either of two tiers may apply, both, in the
    order of the alphabet; else ``other_service_tier`` is None.
    """

    service_tier: str | None
    other_service_tier: str | None = None


def tier_names(analysis: Analysis) -> TierNames:
    found = analysis.service_tier
    if found is None:
        return TierNames(None)
    used = clean_name_or_none(found.used, TIER_CHARACTERS) or None
    other = clean_name_or_none(found.others[-1], TIER_CHARACTERS) if is_ambiguous(found) else None
    if not other or not used or other == used:
        return TierNames(used or other or None)
    return TierNames(*sorted((used, other)))


def fingerprint_name(analysis: Analysis) -> str | None:
    """Return the system fingerprint; None where none was sent."""
    completion = analysis.completion
    sent = completion.get("system_fingerprint") if isinstance(completion, dict) else None
    return clean_name_or_none(sent, FINGERPRINT_CHARACTERS) or None


# -- stored ----------------------------------------------------------------------------------------


def encode_billable(billable: Billable) -> bytes:
    """ASCII: what was sent may hold halves of characters, which no other JSON may."""
    return json.dumps(msgspec.to_builtins(billable), separators=(",", ":")).encode("ascii")


def decode_billable(text: bytes) -> Billable:
    """Raise ``ValueError`` where ``encode_billable`` did not make it."""
    try:
        return msgspec.convert(json.loads(text), built(Billable))
    except msgspec.ValidationError as error:
        raise ValueError("no billable facts that this release knows") from error
