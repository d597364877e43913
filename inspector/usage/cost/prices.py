"""Finds the rates for one response by its vendor, model, service tier, time and prompt length.

The rates are those of the installed genai-prices: nothing is fetched, and the package is imported
on first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from inspector.core.fields.service_tier import STANDARD_WORDS
from inspector.core.vendors import Vendor
from inspector.usage.cost.notes import CostNote, CostNoteCode, note
from inspector.usage.cost.overrides import Override, override_for
from inspector.usage.cost.providers import PROVIDERS, find_makers, find_model, is_priced_by_maker
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknown, CostUnknownReason, unknown_cost

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, Provider

MILLION = 1_000_000
PRICE_KEYS: Mapping[TokenKind, tuple[str, int]] = {
    TokenKind.PROMPT: ("input_mtok", MILLION),
    TokenKind.CACHED: ("cache_read_mtok", MILLION),
    TokenKind.CACHED_AUDIO: ("cache_audio_read_mtok", MILLION),
    TokenKind.CACHED_IMAGE: ("cache_image_read_mtok", MILLION),
    TokenKind.CACHE_WRITE: ("cache_write_mtok", MILLION),
    TokenKind.CACHE_WRITE_1H: ("cache_write_1h_mtok", MILLION),
    TokenKind.PROMPT_AUDIO: ("input_audio_mtok", MILLION),
    TokenKind.PROMPT_IMAGE: ("input_image_mtok", MILLION),
    TokenKind.PROMPT_VIDEO: ("input_video_mtok", MILLION),
    TokenKind.COMPLETION: ("output_mtok", MILLION),
    TokenKind.REASONING: ("output_reasoning_mtok", MILLION),
    TokenKind.COMPLETION_AUDIO: ("output_audio_mtok", MILLION),
    TokenKind.COMPLETION_IMAGE: ("output_image_mtok", MILLION),
    TokenKind.COMPLETION_VIDEO: ("output_video_mtok", MILLION),
    TokenKind.SEARCH: ("web_searches_kcount", 1000),
    TokenKind.REQUEST: ("requests_kcount", 1000),
}
"""Name of each rate in the price table, and the number of tokens (searches, requests) it is for."""
PAID_EACH = frozenset({TokenKind.SEARCH, TokenKind.REQUEST})
"""Kinds that teams pay for one by one, not by the million."""
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
    notes: tuple[CostNote, ...] = ()


@dataclass(frozen=True, slots=True)
class PriceQuery:
    """The arguments of a price lookup. ``tier`` is the response's: empty where none is stated, None
    where it is ambiguous or invalid, which ``tier_fault`` describes.
    """

    vendor: Vendor | None
    model: str
    tier: str | None
    at: datetime
    prompt_tokens: int
    tier_fault: CostNote | None = None

    @property
    def is_default_tier(self) -> bool:
        return self.tier in STANDARD_WORDS


def rates_of(query: PriceQuery, overrides: Iterable[Override] = ()) -> Rates | CostUnknown:
    slug = query.vendor.slug if query.vendor else None
    own = tuple(overrides)
    override = override_for(own, slug, query.model, query.at, query.tier)
    if override is not None:
        return _rates_of_override(override, slug or "", query)
    of_standard = override_for(own, slug, query.model, query.at)
    found = _find_in_table(query)
    if isinstance(found, CostUnknown):
        return found
    provider, model, maker_note = found
    rates = _rates(query, provider, model)
    if isinstance(rates, CostUnknown):
        return rates
    prices, inherited = rates
    long_prompt = _long_prompt(prices, query.prompt_tokens)
    notes = (maker_note, long_prompt, *_tier_notes(query, of_standard))
    return Rates(
        table=table_name(),
        provider=provider.id,
        model=model.id,
        by_kind=_by_kind(model, prices, query.prompt_tokens),
        of_default_tier=inherited,
        by_hour=not AUDIO_HOURS.isdisjoint(vars(prices)),
        notes=tuple(each for each in notes if each),
    )


@cache
def table_name() -> str:
    return f"genai-prices {version('genai-prices')}"


# -- where it is listed ----------------------------------------------------------------------------


def _find_in_table(query: PriceQuery) -> tuple[Provider, ModelInfo, CostNote | None] | CostUnknown:
    """Return the provider and model in the table, and what is to be known of the choice."""
    if is_priced_by_maker(query.vendor):
        return _find_by_maker(query)
    vendor = query.vendor
    assert vendor is not None
    provider_id = PROVIDERS.get(vendor.slug)
    if provider_id is None:
        code = CostNoteCode.NO_VENDOR_PRICES
        return unknown_cost(
            CostUnknownReason.NO_VENDOR, code, vendor=vendor.slug, table=table_name()
        )
    found = find_model(provider_id, query.model)
    if found is None:
        values = {"model": query.model, "vendor": vendor.slug, "table": table_name()}
        return unknown_cost(CostUnknownReason.NO_PRICE, CostNoteCode.NO_MODEL_PRICE, **values)
    provider, model = found
    is_own = any(each is model for each in provider.models)
    of_maker = note(CostNoteCode.PRICES_OF_MAKER, vendor=vendor.slug)
    return provider, model, None if is_own else of_maker


def _find_by_maker(query: PriceQuery) -> tuple[Provider, ModelInfo, CostNote | None] | CostUnknown:
    makers = find_makers(query.model)
    vendor = query.vendor.slug if query.vendor else None
    if not makers:
        values = {"vendor": vendor, "model": query.model, "table": table_name()}
        return unknown_cost(CostUnknownReason.NO_PRICE, CostNoteCode.NO_MAKER, **values)
    names = tuple(provider.name for provider, _ in makers)
    if len(makers) > 1:
        return unknown_cost(
            CostUnknownReason.SEVERAL_MAKERS,
            CostNoteCode.SEVERAL_MAKERS,
            vendor=vendor,
            model=query.model,
            makers=names,
        )
    provider, model = makers[0]
    return provider, model, note(CostNoteCode.PRICED_AS_AT_MAKER, vendor=vendor, maker=names[0])


# -- the tier that was used ------------------------------------------------------------------------


def _rates(
    query: PriceQuery, provider: Provider, model: ModelInfo
) -> tuple[ModelPrice, frozenset[TokenKind]] | CostUnknown:
    """Return the prices of the tier, and which of them are those of the default tier."""
    if query.is_default_tier:
        return model.get_prices(query.at), frozenset()
    tier = query.tier
    if tier is None:
        return CostUnknown(CostUnknownReason.NO_TIER, query.tier_fault)
    context = {"processing": BATCH} if tier == BATCH else {"service_tier": tier}
    is_own = any(each is model for each in provider.models)
    variants = [each for each in model.price_variants or () if is_own and each.when == context]
    active = [e for e in variants if e.constraint is None or e.constraint.active(query.at)]
    if not active:
        code = CostNoteCode.NO_TIER_PRICE_YET if variants else CostNoteCode.NO_TIER_PRICE
        return unknown_cost(CostUnknownReason.NO_TIER, code, tier=tier, table=table_name())
    own = {key for each in active for key, value in vars(each.prices).items() if value is not None}
    inherited = frozenset(kind for kind, (key, _) in PRICE_KEYS.items() if own and key not in own)
    return model.get_prices(query.at, context), inherited


def _tier_notes(query: PriceQuery, of_standard: Override | None) -> Iterator[CostNote]:
    if query.tier == "auto":
        yield note(CostNoteCode.TIER_AUTO)
    if of_standard is not None:
        starts = of_standard.starts.isoformat()
        yield note(CostNoteCode.OVERRIDE_OF_STANDARD_TIER, starts=starts)


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


def _long_prompt(prices: ModelPrice, prompt_tokens: int) -> CostNote | None:
    steps = getattr(vars(prices).get("input_mtok"), "tiers", ())
    passed = [step.start for step in steps if prompt_tokens > step.start]
    return note(CostNoteCode.LONG_PROMPT, tokens=passed[-1]) if passed else None


def _rates_of_override(override: Override, slug: str, query: PriceQuery) -> Rates:
    is_any = override.tier is None and not query.is_default_tier
    of_any = note(CostNoteCode.OVERRIDE_OF_ANY_TIER, starts=override.starts.isoformat())
    per = {kind: 1 if kind in PAID_EACH else MILLION for kind in override.rates}
    return Rates(
        table=override.table,
        provider=PROVIDERS.get(slug, slug),
        model=override.model,
        by_kind={kind: Rate(usd, per[kind]) for kind, usd in override.rates.items()},
        is_own=True,
        notes=(of_any,) if is_any else (),
    )
