"""Finds the rates for one response by its vendor, model, service tier, time and prompt length.

The rates are those of the installed genai-prices: nothing is fetched, and the package is imported
on first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from inspector.core.service_tier import STANDARD_WORDS
from inspector.core.vendors import Vendor
from inspector.usage.cost.overrides import Override, override_for
from inspector.usage.cost.providers import PROVIDERS, find_makers, find_model, is_priced_by_maker
from inspector.usage.cost.quoting import quote
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknown, CostUnknownReason

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, Provider

MILLION = 1_000_000
PRICE_KEYS: Mapping[TokenKind, tuple[str, int]] = {
    TokenKind.PROMPT: ("input_mtok", MILLION),
    TokenKind.CACHED: ("cache_read_mtok", MILLION),
    TokenKind.CACHE_WRITE: ("cache_write_mtok", MILLION),
    TokenKind.PROMPT_AUDIO: ("input_audio_mtok", MILLION),
    TokenKind.PROMPT_IMAGE: ("input_image_mtok", MILLION),
    TokenKind.COMPLETION: ("output_mtok", MILLION),
    TokenKind.REASONING: ("output_reasoning_mtok", MILLION),
    TokenKind.COMPLETION_AUDIO: ("output_audio_mtok", MILLION),
    TokenKind.COMPLETION_IMAGE: ("output_image_mtok", MILLION),
    TokenKind.REQUEST: ("requests_kcount", 1000),
}
"""Name of each rate in the price table, and the number of tokens (or requests) it is for."""
AUDIO_HOURS = frozenset({"audio_hours", "input_audio_hours"})
BATCH = "batch"
# OpenRouter's suffix for free models; the price table states no rates for them.
FREE_SUFFIX = ":free"


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate: ``usd`` for ``per`` tokens or requests."""

    usd: Decimal
    per: int


@dataclass(frozen=True, slots=True)
class Rates:
    """``of_default_tier``: kinds for which the table has no rate of the tier that was used.
    ``by_hour``: audio is paid for by its length, so its tokens have no rate. ``is_own``: the team
    set them.
    """

    table: str
    provider: str
    model: str
    by_kind: Mapping[TokenKind, Rate]
    of_default_tier: frozenset[TokenKind] = frozenset()
    by_hour: bool = False
    is_own: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PriceQuery:
    """The arguments of a price lookup. ``tier`` is the response's: empty where none is stated, None
    where it is ambiguous or invalid, for the reason in ``tier_fault``.
    """

    vendor: Vendor | None
    model: str
    tier: str | None
    at: datetime
    prompt_tokens: int
    tier_fault: str = ""

    @property
    def is_default_tier(self) -> bool:
        return self.tier in STANDARD_WORDS


def rates_of(asked: PriceQuery, overrides: Iterable[Override] = ()) -> Rates | CostUnknown:
    slug = asked.vendor.slug if asked.vendor else None
    own = tuple(overrides)
    override = override_for(own, slug, asked.model, asked.at, asked.tier)
    if override is not None:
        return _rates_of_override(override, slug or "", asked)
    of_standard = override_for(own, slug, asked.model, asked.at)
    found = _find_in_table(asked)
    if isinstance(found, CostUnknown):
        return found
    provider, model, note = found
    rates = _rates(asked, provider, model)
    if isinstance(rates, CostUnknown):
        return rates
    prices, inherited = rates
    long_prompt = _long_prompt(prices, asked.prompt_tokens)
    notes = (note, long_prompt, *_tier_notes(asked, of_standard))
    return Rates(
        table=table_name(),
        provider=provider.id,
        model=model.id,
        by_kind=_by_kind(model, prices, asked.prompt_tokens),
        of_default_tier=inherited,
        by_hour=not AUDIO_HOURS.isdisjoint(vars(prices)),
        notes=tuple(each for each in notes if each),
    )


@cache
def table_name() -> str:
    return f"genai-prices {version('genai-prices')}"


# -- where it is listed ----------------------------------------------------------------------------


def _find_in_table(asked: PriceQuery) -> tuple[Provider, ModelInfo, str] | CostUnknown:
    """Provider and model in the table, and what is to be known of the choice."""
    if is_priced_by_maker(asked.vendor):
        return _find_by_maker(asked)
    vendor = asked.vendor
    assert vendor is not None
    provider_id = PROVIDERS.get(vendor.slug)
    if provider_id is None:
        return CostUnknown(
            CostUnknownReason.NO_VENDOR, f"no prices of {vendor.title} in {table_name()}"
        )
    found = find_model(provider_id, asked.model)
    if found is None:
        why = f"no price of model {quote(asked.model)} at {vendor.title} in {table_name()}"
        return CostUnknown(CostUnknownReason.NO_PRICE, why)
    provider, model = found
    is_own = any(each is model for each in provider.models)
    return (
        provider,
        model,
        "" if is_own else f"{vendor.title} has no price of its own there: its maker's holds",
    )


def _find_by_maker(asked: PriceQuery) -> tuple[Provider, ModelInfo, str] | CostUnknown:
    makers = find_makers(asked.model)
    name = quote(asked.model)
    if not makers:
        why = f"{_no_vendor_price(asked.vendor)}, and no maker of model {name} in {table_name()}"
        return CostUnknown(CostUnknownReason.NO_PRICE, why)
    if len(makers) > 1:
        names = ", ".join(provider.name for provider, _ in makers)
        why = f"{_no_vendor_price(asked.vendor)}, and several make model {name}: {names}"
        return CostUnknown(CostUnknownReason.SEVERAL_MAKERS, why)
    provider, model = makers[0]
    return (
        provider,
        model,
        f"{_no_vendor_price(asked.vendor)}: priced as at {provider.name}, who makes it",
    )


def _no_vendor_price(vendor: Vendor | None) -> str:
    return f"{vendor.title} passes on what others answer" if vendor else "the vendor is not known"


# -- the tier that was used ------------------------------------------------------------------------


def _rates(
    asked: PriceQuery, provider: Provider, model: ModelInfo
) -> tuple[ModelPrice, frozenset[TokenKind]] | CostUnknown:
    """The prices of the tier, and which of them are those of the default tier."""
    if asked.is_default_tier:
        return model.get_prices(asked.at), frozenset()
    tier = asked.tier
    if tier is None:
        return CostUnknown(CostUnknownReason.NO_TIER, asked.tier_fault)
    context = {"processing": BATCH} if tier == BATCH else {"service_tier": tier}
    is_own = any(each is model for each in provider.models)
    variants = [each for each in model.price_variants or () if is_own and each.when == context]
    active = [e for e in variants if e.constraint is None or e.constraint.active(asked.at)]
    if not active:
        when = " of that day" if variants else ""
        why = f"service tier {quote(tier)} has no price{when} in {table_name()}"
        return CostUnknown(CostUnknownReason.NO_TIER, why)
    own = {key for each in active for key, value in vars(each.prices).items() if value is not None}
    inherited = frozenset(kind for kind, (key, _) in PRICE_KEYS.items() if own and key not in own)
    return model.get_prices(asked.at, context), inherited


def _tier_notes(asked: PriceQuery, of_standard: Override | None) -> tuple[str, ...]:
    notes = []
    if asked.tier == "auto":
        notes.append("service tier auto names none: the rates of the default tier hold")
    if of_standard is not None:
        notes.append(f"the {of_standard.dated} is of the default tier, so it does not hold")
    return tuple(notes)


# -- the rates -------------------------------------------------------------------------------------


def _by_kind(model: ModelInfo, prices: ModelPrice, prompt_tokens: int) -> dict[TokenKind, Rate]:
    stated = vars(prices)
    if not any(value is not None for value in stated.values()) and model.id.endswith(FREE_SUFFIX):
        return {
            kind: Rate(Decimal(0), MILLION) for kind in (TokenKind.PROMPT, TokenKind.COMPLETION)
        }
    return {
        kind: Rate(_at_length(stated[key], prompt_tokens), per)
        for kind, (key, per) in PRICE_KEYS.items()
        if stated.get(key) is not None
    }


def _at_length(price: object, prompt_tokens: int) -> Decimal:
    # Of tiered prices, the highest step that the prompt exceeds applies to all its tokens.
    if isinstance(price, Decimal):
        return price
    from genai_prices.types import TieredPrices

    assert isinstance(price, TieredPrices)
    steps = [step.price for step in price.tiers if prompt_tokens > step.start]
    return steps[-1] if steps else price.base


def _long_prompt(prices: ModelPrice, prompt_tokens: int) -> str:
    steps = getattr(vars(prices).get("input_mtok"), "tiers", ())
    passed = [step.start for step in steps if prompt_tokens > step.start]
    return f"rates of a prompt of more than {passed[-1]:,} tokens" if passed else ""


def _rates_of_override(override: Override, slug: str, asked: PriceQuery) -> Rates:
    is_any = override.tier is None and not asked.is_default_tier
    per = {kind: 1 if kind is TokenKind.REQUEST else MILLION for kind in override.rates}
    return Rates(
        table=override.table,
        provider=PROVIDERS.get(slug, slug),
        model=override.model,
        by_kind={kind: Rate(usd, per[kind]) for kind, usd in override.rates.items()},
        is_own=True,
        notes=(f"the {override.dated} is of any service tier",) if is_any else (),
    )
