"""What a team pays in place of the table: which of its overrides holds, and what it says."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from inspector.usage.kinds import Kind
from inspector.usage.overrides import Override, override_for
from inspector.usage.receipts import Receipt
from tests.usage.answers import AT, answer, receipt_for, tokens

RATES = {Kind.PROMPT: Decimal("1"), Kind.COMPLETION: Decimal("4")}


def override(model: str = "gpt-4o", **fields: Any) -> Override:
    return Override(**{"model": model, "rates": RATES, "starts": date(2026, 11, 1), **fields})


def paid(*overrides: Override, vendor: str | None = "openai", **top: Any) -> Receipt:
    read = answer(vendor, "gpt-4o", tokens((1000, {"cached_tokens": 400}), 100, 1100), **top)
    return receipt_for(read, overrides=overrides)


def test_an_override_is_named_on_the_receipt() -> None:
    found = paid(override())
    assert found.table == "override of 2026-11-01"
    assert found.total_usd == Decimal("0.0014")  # 1000 × 1 + 100 × 4
    assert found.notes == (
        "400 cached tokens at the rate of prompt: override of 2026-11-01 has none of their own",
    )


def test_an_override_with_a_rate_for_cached_tokens_uses_it() -> None:
    found = paid(override(rates={**RATES, Kind.CACHED: Decimal("0.25")}))
    assert found.total_usd == Decimal("0.0011")  # 600 × 1 + 400 × 0.25 + 100 × 4


def test_an_override_prices_what_no_table_knows() -> None:
    read = answer("vllm", "our-own-1", tokens(1000, 100, 1100))
    found = receipt_for(read, overrides=[override("our-own-1")])
    assert (found.total_usd, found.provider) == (Decimal("0.0014"), "vllm")


def test_an_override_without_a_rate_that_is_needed_leaves_the_cost_unknown() -> None:
    found = paid(override(rates={Kind.PROMPT: Decimal("1")}))
    assert found.why_unknown == (
        "override of 2026-11-01 has no rate for completion tokens of model `gpt-4o`"
    )


def test_an_override_is_of_the_default_tier() -> None:
    found = paid(override(), service_tier="priority")
    assert found.table == "genai-prices 0.2.3"
    assert "the override of 2026-11-01 is of the default tier, so it does not hold" in found.notes


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
