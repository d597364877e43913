"""Maps vendors to providers of the price table, and finds a model's maker without a vendor."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from inspector.core.vendors import Vendor
from inspector.core.vendors.vendor import VendorLayer

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

PROVIDERS: Mapping[str, str] = {
    "anthropic": "anthropic",
    "azure": "azure",
    "bedrock": "aws",
    "cerebras": "cerebras",
    "cohere": "cohere",
    "deepseek": "deepseek",
    "fireworks": "fireworks",
    "gemini": "google",
    "groq": "groq",
    "minimax": "minimax",
    "mistral": "mistral",
    "moonshot": "moonshotai",
    "novita": "novita",
    "openai": "openai",
    "openrouter": "openrouter",
    "perplexity": "perplexity",
    "together": "together",
    "vertexai": "google",
    "xai": "x-ai",
    "zai": "zai",
}
OWN_PRICES = frozenset({"github", "huggingface"})
"""Gateways whose prices are not those of the model's maker, and not in the table."""
LONGEST_NAME = 200
"""Matched with patterns of the price table; no model has a name like that."""


def is_priced_by_maker(vendor: Vendor | None) -> bool:
    """Tell whether the price of the model's maker applies, because no other seller is known."""
    if vendor is None:
        return True
    is_priced_itself = vendor.slug in PROVIDERS or vendor.slug in OWN_PRICES
    return vendor.layer is VendorLayer.GATEWAY and not is_priced_itself


@lru_cache(maxsize=1024)
def find_model(provider_id: str, name: str) -> tuple[Provider, ModelInfo] | None:
    """Find a model among a provider's own and those it resells."""
    if not is_plausible_name(name):
        return None
    table = load_providers()
    provider = next((each for each in table if each.id == provider_id), None)
    model = provider.find_model(name.lower(), all_providers=table) if provider else None
    return (provider, model) if provider and model else None


@lru_cache(maxsize=1024)
def find_makers(name: str) -> tuple[tuple[Provider, ModelInfo], ...]:
    """Find providers that have a model of this name of their own; ``maker/model`` names one."""
    if not is_plausible_name(name):
        return ()
    maker, slash, bare = name.lower().partition("/")
    if slash and any(each.id == maker and each.model_match for each in load_providers()):
        found = find_model(maker, bare)
        return (found,) if found else ()
    return tuple(_makers(name.lower()))


def _makers(name: str) -> list[tuple[Provider, ModelInfo]]:
    own = (
        each for each in load_providers() if each.model_match and each.model_match.is_match(name)
    )
    return [(provider, model) for provider in own if (model := provider.find_model(name))]


def is_plausible_name(name: str) -> bool:
    """Return False spares the table's patterns what no vendor calls a model."""
    return 0 < len(name) <= LONGEST_NAME and name.isascii() and name.isprintable()


def load_providers() -> list[Provider]:
    """Return the table of the package: a third of a second and 30 MB at the first call."""
    from genai_prices.data import providers as table

    return table
