"""Prices of usage objects in native formats: what the table's own calculator makes of them."""

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from genai_prices.data import providers
from genai_prices.types import ModelInfo, Provider

from inspector.core.formats import usage_table_of
from inspector.core.formats.cohere import USAGE as COHERE
from inspector.core.json import Json
from inspector.core.tokens.usage import read_usage
from inspector.usage.cost import quantities
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.receipts import CostReceipt
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedItem, UnpricedKind
from tests.usage.answers import AT, answer, note, receipt_for

ANTHROPIC = ("anthropic", "anthropic", "claude-sonnet-4-5-20250929")
RESPONSES = ("openai-responses", "openai", "gpt-5")
GEMINI = ("gemini", "gemini", "gemini-2.5-flash")
PROVIDERS = {
    "anthropic": ("anthropic", "default", "usage"),
    "openai-responses": ("openai", "responses", "usage"),
    "gemini": ("google", "default", "usageMetadata"),
}
"""Provider of the table, flavour and root of each dialect."""


def priced(by: tuple[str, str, str], sent: dict[str, Json], **more: Any) -> CostReceipt:
    dialect, vendor, model = by
    usage = read_usage(sent, "/usage", table=usage_table_of(dialect))
    read = msgspec.structs.replace(answer(vendor, model), dialect=dialect, usage=usage)
    return receipt_for(read, **more)


def of_table(by: tuple[str, str, str], sent: dict[str, Json]) -> Decimal:
    """The price that the table's own reader and calculator come to."""
    provider, model = found(by)
    _, flavour, root = PROVIDERS[by[0]]
    body = {root: sent, "model": model.id, "modelVersion": model.id}
    _, usage = provider.extract_usage(body, api_flavor=flavour)
    return model.calc_price(usage, provider, genai_request_timestamp=AT).total_price


def found(by: tuple[str, str, str]) -> tuple[Provider, ModelInfo]:
    provider = next(each for each in providers if each.id == PROVIDERS[by[0]][0])
    model = provider.find_model(by[2])
    assert model is not None
    return provider, model


@pytest.mark.parametrize(
    ("by", "sent"),
    [
        (ANTHROPIC, {"input_tokens": 3, "output_tokens": 12}),
        (
            ANTHROPIC,
            {
                "input_tokens": 3,
                "cache_creation_input_tokens": 2048,
                "cache_read_input_tokens": 4096,
                "output_tokens": 12,
                "output_tokens_details": {"thinking_tokens": 7},
            },
        ),
        (
            ANTHROPIC,
            {
                "input_tokens": 3,
                "cache_creation_input_tokens": 2048,
                "cache_read_input_tokens": 0,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": 48,
                    "ephemeral_1h_input_tokens": 2000,
                },
                "output_tokens": 12,
            },
        ),
        # A long prompt, most of it from the cache: its length is that of the sum.
        (ANTHROPIC, {"input_tokens": 3, "cache_read_input_tokens": 250_000, "output_tokens": 12}),
        (
            ANTHROPIC,
            {
                "input_tokens": 3,
                "output_tokens": 12,
                "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 1},
            },
        ),
        (
            RESPONSES,
            {
                "input_tokens": 80,
                "input_tokens_details": {"cached_tokens": 64},
                "output_tokens": 20,
                "output_tokens_details": {"reasoning_tokens": 16},
                "total_tokens": 100,
            },
        ),
        (
            GEMINI,
            {
                "promptTokenCount": 10,
                "toolUsePromptTokenCount": 600,
                "cachedContentTokenCount": 8,
                "candidatesTokenCount": 5,
                "thoughtsTokenCount": 30,
                "totalTokenCount": 645,
            },
        ),
        (
            GEMINI,
            {
                "promptTokenCount": 1000,
                "promptTokensDetails": [
                    {"modality": "TEXT", "tokenCount": 300},
                    {"modality": "AUDIO", "tokenCount": 700},
                ],
                "cachedContentTokenCount": 600,
                "cacheTokensDetails": [
                    {"modality": "TEXT", "tokenCount": 100},
                    {"modality": "AUDIO", "tokenCount": 500},
                ],
                "candidatesTokenCount": 5,
                "totalTokenCount": 1005,
            },
        ),
    ],
)
def test_our_native_sums_are_the_tables(by: tuple[str, str, str], sent: dict[str, Json]) -> None:
    ours = priced(by, sent)
    assert ours.total_usd == of_table(by, sent)
    assert not ours.is_lower_bound


def test_writes_to_the_cache_for_an_hour_have_a_line_of_their_own() -> None:
    sent = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 30,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
        "output_tokens": 12,
    }
    lines = {line.kind: line.count for line in priced(ANTHROPIC, sent).lines}
    assert lines == {
        TokenKind.PROMPT: 3,
        TokenKind.CACHE_WRITE: 10,
        TokenKind.CACHE_WRITE_1H: 20,
        TokenKind.COMPLETION: 12,
    }


def test_without_a_rate_of_their_own_they_are_paid_like_other_writes() -> None:
    sent = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 30,
        "cache_creation": {"ephemeral_1h_input_tokens": 20},
        "output_tokens": 12,
    }
    rates = {
        TokenKind.PROMPT: Decimal(1),
        TokenKind.CACHE_WRITE: Decimal(2),
        TokenKind.COMPLETION: Decimal(3),
    }
    own = Override(ANTHROPIC[2], rates, starts=AT.date())
    found = priced(ANTHROPIC, sent, overrides=[own])
    assert found.total_usd == Decimal("0.000099")
    words = note(
        "rate_of_whole", count=20, kind="cache_write_1h", whole="cache_write", table=own.table
    )
    assert words in found.notes


def test_more_written_for_an_hour_than_written_at_all_is_a_contradiction() -> None:
    sent = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 10,
        "cache_creation": {"ephemeral_1h_input_tokens": 20},
        "output_tokens": 12,
    }
    found = priced(ANTHROPIC, sent)
    assert found.reason is CostUnknownReason.CONTRADICTION
    assert found.detail == note(
        "part_exceeds_whole",
        part="cache_write_1h",
        part_count=20,
        whole="cache_write",
        whole_count=10,
    )


def test_searches_without_a_rate_make_the_cost_a_lower_bound() -> None:
    sent = {"input_tokens": 3, "output_tokens": 12, "server_tool_use": {"web_search_requests": 2}}
    rates = {TokenKind.PROMPT: Decimal(1), TokenKind.COMPLETION: Decimal(1)}
    found = priced(ANTHROPIC, sent, overrides=[Override(ANTHROPIC[2], rates, starts=AT.date())])
    field = "server_tool_use/web_search_requests"
    assert found.unpriced_items == (UnpricedItem(2, UnpricedKind.SEARCHES, field),)
    assert note("excluded", count=2, field=field) in found.notes


def test_a_team_pays_for_searches_one_by_one() -> None:
    sent = {"input_tokens": 0, "output_tokens": 0, "server_tool_use": {"web_search_requests": 2}}
    rates = {
        TokenKind.PROMPT: Decimal(1),
        TokenKind.COMPLETION: Decimal(1),
        TokenKind.SEARCH: Decimal("0.02"),
    }
    found = priced(ANTHROPIC, sent, overrides=[Override(ANTHROPIC[2], rates, starts=AT.date())])
    assert found.total_usd == Decimal("0.04")


def test_a_completion_that_gemini_left_out_is_nothing_if_the_total_says_so() -> None:
    blocked = {"promptTokenCount": 14, "totalTokenCount": 14}
    assert priced(GEMINI, blocked).total_usd == of_table(GEMINI, blocked)


@pytest.mark.parametrize(
    ("by", "sent", "detail"),
    [
        (GEMINI, {"promptTokenCount": 14}, note("count_not_sent", field="candidatesTokenCount")),
        (GEMINI, {"promptTokenCount": 14, "totalTokenCount": 20}, note("count_not_sent", field="candidatesTokenCount")),
        (ANTHROPIC, {"output_tokens": 14}, note("count_not_sent", field="input_tokens")),
        (ANTHROPIC, {"input_tokens": None, "output_tokens": 14}, note("count_null", field="input_tokens")),
    ],
)  # fmt: skip
def test_what_was_not_sent_is_named_as_the_format_names_it(
    by: tuple[str, str, str], sent: dict[str, Json], detail: object
) -> None:
    assert priced(by, sent).detail == detail


def test_a_count_that_is_none_is_named_as_it_was_sent() -> None:
    found = priced(
        ANTHROPIC, {"input_tokens": 3, "cache_read_input_tokens": "7", "output_tokens": 1}
    )
    assert found.reason is CostUnknownReason.ODD_COUNT
    assert found.detail is not None
    assert found.detail.values["field"] == "cache_read_input_tokens"


def test_what_cohere_bills_is_what_it_says_it_bills() -> None:
    usage = read_usage(
        {
            "billed_units": {"input_tokens": 5, "output_tokens": 9},
            "tokens": {"input_tokens": 71, "output_tokens": 9},
        },
        "/usage",
        table=COHERE,
    )
    counts = quantities.counts_of(usage, COHERE)
    assert counts == {TokenKind.PROMPT: 5, TokenKind.COMPLETION: 9}


def test_without_all_billed_units_cohere_bills_what_it_counted() -> None:
    sent = {"billed_units": {"input_tokens": 5}, "tokens": {"input_tokens": 71, "output_tokens": 9}}
    counts = quantities.counts_of(read_usage(sent, "/usage", table=COHERE), COHERE)
    assert counts == {TokenKind.PROMPT: 71, TokenKind.COMPLETION: 9}
