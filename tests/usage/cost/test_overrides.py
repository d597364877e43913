"""Prices of a team in place of the table: which of its overrides holds, and what it says."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from inspector.usage.cost.overrides import Override, override_for
from inspector.usage.cost.receipts import CostReceipt
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.models import Price, UsageSum
from tests.usage.answers import AT, answer, note, receipt_for, tokens

RATES = {TokenKind.PROMPT: Decimal("1"), TokenKind.COMPLETION: Decimal("4")}


def override(model: str = "gpt-4o", **fields: Any) -> Override:
    return Override(**{"model": model, "rates": RATES, "starts": date(2026, 11, 1), **fields})


def paid(*overrides: Override, vendor: str | None = "openai", **top: Any) -> CostReceipt:
    read = answer(vendor, "gpt-4o", tokens((1000, {"cached_tokens": 400}), 100, 1100), **top)
    return receipt_for(read, overrides=overrides)


def test_an_override_is_named_on_the_receipt() -> None:
    found = paid(override())
    assert found.table == "override of 2026-11-01 (gpt-4o)"
    assert found.total_usd == Decimal("0.0014")  # 1000 × 1 + 100 × 4
    table = "override of 2026-11-01 (gpt-4o)"
    own = note("rate_of_whole", count=400, kind="cached", whole="prompt", table=table)
    assert found.notes == (own,)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({}, "override of 2026-11-01 (gpt-4o)"),
        ({"is_prefix": True}, "override of 2026-11-01 (gpt-4o*)"),
        ({"tier": "flex"}, "override of 2026-11-01 (gpt-4o, tier flex)"),
        ({"tier": None}, "override of 2026-11-01 (gpt-4o, any tier)"),
        (
            {"vendor": "azure", "tier": "flex"},
            "override of 2026-11-01 (gpt-4o, of azure, tier flex)",
        ),
        ({"model": "gpt-4o-mini"}, "override of 2026-11-01 (gpt-4o-mini)"),
    ],
)
def test_prices_of_one_day_have_their_own_names(fields: dict[str, Any], name: str) -> None:
    assert override(**fields).table == name


def test_a_long_name_is_cut_to_what_a_sum_holds_and_stays_its_own() -> None:
    long = [override(model="m" * 200, vendor="v" * 63, tier=tier) for tier in ("a", "b", None)]
    names = {each.table for each in long}
    assert len(names) == 3
    for name in names:
        assert name.startswith("override of 2026-11-01 (mmm") and name.endswith(")")
        assert len(name) <= UsageSum._meta.get_field("value").max_length
        assert len(name) <= Price._meta.get_field("table").max_length


def test_an_override_with_a_rate_for_cached_tokens_uses_it() -> None:
    found = paid(override(rates={**RATES, TokenKind.CACHED: Decimal("0.25")}))
    assert found.total_usd == Decimal("0.0011")  # 600 × 1 + 400 × 0.25 + 100 × 4


def test_an_override_prices_what_no_table_knows() -> None:
    read = answer("vllm", "our-own-1", tokens(1000, 100, 1100))
    found = receipt_for(read, overrides=[override("our-own-1")])
    assert (found.total_usd, found.provider) == (Decimal("0.0014"), "vllm")


def test_an_override_without_a_rate_that_is_needed_leaves_the_cost_unknown() -> None:
    found = paid(override(rates={TokenKind.PROMPT: Decimal("1")}))
    table = "override of 2026-11-01 (gpt-4o)"
    assert found.detail == note("no_rate", kind="completion", model="gpt-4o", table=table)


def test_an_override_is_of_the_default_tier() -> None:
    found = paid(override(), service_tier="priority")
    assert found.table == "genai-prices 0.2.3"
    assert note("override_of_standard_tier", starts="2026-11-01") in found.notes


def test_an_override_of_a_tier_holds_for_that_tier_alone() -> None:
    flex = override(
        tier="flex", rates={TokenKind.PROMPT: Decimal(2), TokenKind.COMPLETION: Decimal(8)}
    )
    found = paid(flex, service_tier="flex")
    assert (found.table, found.tiers, found.total_usd) == (
        "override of 2026-11-01 (gpt-4o, tier flex)", ("flex",), Decimal("0.0028"),
    )  # fmt: skip
    for tier in ("default", "priority", "Flex"):
        assert paid(flex, service_tier=tier).table == "genai-prices 0.2.3", tier
    assert not any("override" in each.code for each in paid(flex).notes)


OF_ANY_TIER = note("override_of_any_tier", starts="2026-11-01")


def test_an_override_of_any_tier_holds_for_all_and_says_so_where_it_matters() -> None:
    any_tier = override(tier=None)
    for tier in ("flex", "priority", "never heard of", 7):
        found = paid(any_tier, service_tier=tier)
        assert found.total_usd == Decimal("0.0014"), tier
        assert OF_ANY_TIER in found.notes
    assert OF_ANY_TIER not in paid(any_tier).notes


@pytest.mark.parametrize("word", ["", "default", "standard", "on_demand", "auto"])
def test_an_override_of_the_standard_tier_holds_for_all_its_words(word: str) -> None:
    assert paid(override(), service_tier=word).table == "override of 2026-11-01 (gpt-4o)"


def test_a_tier_goes_before_any_and_a_vendor_before_a_tier() -> None:
    any_tier, flex = override(tier=None, starts=date(2026, 11, 9)), override(tier="flex")
    of_vendor = override(tier=None, vendor="openai", starts=date(2025, 1, 1))
    assert override_for([any_tier, flex], "openai", "gpt-4o", AT, "flex") is flex
    assert override_for([any_tier, flex], "openai", "gpt-4o", AT, "") is any_tier
    assert override_for([any_tier, flex, of_vendor], "openai", "gpt-4o", AT, "flex") is of_vendor


def holding(*overrides: Override, vendor: str | None = "openai", model: str = "gpt-4o-mini",
            at: datetime = AT) -> Override | None:  # fmt: skip
    return override_for(overrides, vendor, model, at)


def test_an_override_holds_from_its_first_day_until_before_its_last_in_utc() -> None:
    day = override("gpt-4o-mini", starts=date(2026, 11, 20), ends=date(2026, 11, 21))
    midnight = datetime(2026, 11, 20, tzinfo=UTC)
    assert holding(day, at=midnight) is day
    assert holding(day, at=midnight + timedelta(hours=23, minutes=59)) is day
    assert holding(day, at=midnight - timedelta(microseconds=1)) is None
    assert holding(day, at=midnight + timedelta(days=1)) is None
    tokyo = timezone(timedelta(hours=9))
    assert holding(day, at=datetime(2026, 11, 20, 8, 0, tzinfo=tokyo)) is None


def test_a_name_is_exact_unless_it_is_a_prefix() -> None:
    assert holding(override("gpt-4o")) is None
    prefix = override("gpt-4o", is_prefix=True)
    assert holding(prefix) is prefix
    assert holding(prefix, model="my-gpt-4o") is None


def test_a_vendor_narrows() -> None:
    azure = override("gpt-4o-mini", vendor="azure")
    assert holding(azure) is None
    assert holding(azure, vendor="azure") is azure
    assert holding(override("gpt-4o-mini"), vendor=None) is not None


def test_the_nearest_holds() -> None:
    short = override("gpt", is_prefix=True)
    long = override("gpt-4o", is_prefix=True, starts=date(2026, 1, 1))
    exact = override("gpt-4o-mini", starts=date(2025, 1, 1))
    later = override("gpt-4o-mini", starts=date(2025, 6, 1))
    of_vendor = override("gpt-4o-mini", starts=date(2024, 1, 1), vendor="openai")
    assert holding(short, long) is long
    assert holding(long, exact, short) is exact
    assert holding(later, exact) is later
    assert holding(later, of_vendor, exact) is of_vendor
