"""Under which name the price table knows a vendor, and whose model it is where no vendor is known.

Vendors are those of ``inspector.core.dialects``; the names on the right are the table's.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from inspector.core.dialects import Vendor
from inspector.core.dialects.vendor import Layer

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


def asks_by_model(vendor: Vendor | None) -> bool:
    """Whether the maker of the model says what it costs: nobody else is known."""
    if vendor is None:
        return True
    is_priced_itself = vendor.slug in PROVIDERS or vendor.slug in OWN_PRICES
    return vendor.layer is Layer.GATEWAY and not is_priced_itself


@lru_cache(maxsize=1024)
def model_at(provider_id: str, name: str) -> tuple[Provider, ModelInfo] | None:
    """A model of a provider, or one that the table says it sells for another."""
    if not can_be_known(name):
        return None
    table = providers()
    provider = next((each for each in table if each.id == provider_id), None)
    model = provider.find_model(name.lower(), all_providers=table) if provider else None
    return (provider, model) if provider and model else None


@lru_cache(maxsize=1024)
def makers_of(name: str) -> tuple[tuple[Provider, ModelInfo], ...]:
    """All who call a model of this name their own. ``maker/model`` names its maker."""
    if not can_be_known(name):
        return ()
    maker, slash, bare = name.lower().partition("/")
    if slash and any(each.id == maker and each.model_match for each in providers()):
        found = model_at(maker, bare)
        return (found,) if found else ()
    return tuple(_makers(name.lower()))


def _makers(name: str) -> list[tuple[Provider, ModelInfo]]:
    own = (each for each in providers() if each.model_match and each.model_match.is_match(name))
    return [(provider, model) for provider in own if (model := provider.find_model(name))]


def can_be_known(name: str) -> bool:
    """False spares the table's patterns what no vendor calls a model."""
    return 0 < len(name) <= LONGEST_NAME and name.isascii() and name.isprintable()


def providers() -> list[Provider]:
    """The table that came with the package: a third of a second and 30 MB at the first call."""
    from genai_prices.data import providers as table

    return table
