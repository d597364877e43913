"""Our sums beside those of the table's own calculator, and when the table is read."""

import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from genai_prices import Usage, calc_price
from genai_prices.data import providers
from genai_prices.data_units import unit_data

from inspector.core.vendors import vendors
from inspector.usage.cost.prices import PRICE_KEYS
from inspector.usage.cost.providers import OWN_PRICES, PROVIDERS
from tests.usage.answers import AT, receipt, tokens

ROOT = Path(__file__).parents[3]
MODELS = {
    "openai": ("gpt-4o-2024-08-06", "gpt-5", "gpt-audio", "gpt-4.1-nano", "o3"),
    "openrouter": ("anthropic/claude-sonnet-4.5", "anthropic/claude-haiku-4.5", "openai/gpt-5"),
    "deepseek": ("deepseek-chat",),
    "gemini": ("gemini-2.5-pro", "gemini-2.5-flash-image"),
    "perplexity": ("sonar", "sonar-deep-research"),
    "azure": ("gpt-4o",),
}
PROMPTS = (
    (0, {}),
    (1846, {}),
    (1846, {"cached_tokens": 1536}),
    (250_001, {"cached_tokens": 100_000, "cache_write_tokens": 150_001}),
    (90, {"audio_tokens": 60}),
)
COMPLETIONS = (
    (0, {}),
    (311, {"reasoning_tokens": 311}),
    (400, {"reasoning_tokens": 142, "audio_tokens": 200}),
    (1300, {"image_tokens": 1290}),
)
USAGE_KEYS = {
    "cached_tokens": "cache_read_tokens",
    "cache_write_tokens": "cache_write_tokens",
    "reasoning_tokens": "output_reasoning_tokens",
}


@pytest.mark.parametrize(
    ("vendor", "model"), [(v, model) for v, models in MODELS.items() for model in models]
)
def test_our_sum_is_that_of_the_tables_own_calculator(vendor: str, model: str) -> None:
    for prompt, completion in product(PROMPTS, COMPLETIONS):
        ours = receipt(vendor, model, tokens(prompt, completion))
        given = {"input_tokens": prompt[0], "output_tokens": completion[0]}
        for direction, (_, details) in (("input", prompt), ("output", completion)):
            for name, count in details.items():
                given[USAGE_KEYS.get(name, f"{direction}_{name}")] = count
        theirs = calc_price(
            Usage(**given), model, provider_id=PROVIDERS[vendor], genai_request_timestamp=AT
        )
        assert ours.total_usd == theirs.total_price, (prompt, completion)


def test_a_price_of_every_kind_is_for_as_many_as_the_table_says() -> None:
    units = {unit["price_key"]: unit["per"] for unit in unit_data.values()}
    assert dict(PRICE_KEYS.values()) == {key: units[key] for key, _ in PRICE_KEYS.values()}


def test_vendors_and_providers_are_those_that_there_are() -> None:
    assert PROVIDERS.keys() | OWN_PRICES <= vendors().keys()
    assert set(PROVIDERS.values()) <= {provider.id for provider in providers}


PRICED_OFFLINE = """
import socket
def refuse(*args, **more):
    raise AssertionError("something wants the network")
socket.socket.connect = socket.socket.bind = socket.getaddrinfo = socket.create_connection = refuse
from tests.usage.answers import receipt, tokens
print(receipt("openai", "gpt-4o", tokens(9, 12, 21)).total_usd)
"""

IMPORTED_BY_PAGES = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django
django.setup()
import inspector.urls, inspector.dashboard.capture.usage.panel, inspector.usage.cost.receipts
import inspector.operations.management.commands.inspect
print(sorted({"genai_prices", "pydantic", "httpx2"} & sys.modules.keys()))
"""


@pytest.mark.parametrize(
    ("program", "said"), [(PRICED_OFFLINE, "0.0001425"), (IMPORTED_BY_PAGES, "[]")]
)
def test_the_table_is_read_where_needed_and_from_no_network(program: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == said, done.stderr
