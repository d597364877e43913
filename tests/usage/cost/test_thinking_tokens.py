"""Thinking that no count tells, and reasoning that the numbers put beside the completion."""

from decimal import Decimal

import pytest

from inspector.core.wire.exchange import Request
from inspector.usage.cost.receipts import cost_findings
from inspector.usage.cost.unpriced import UnpricedItem
from inspector.usage.models import Price
from tests.archive.samples import WHOLE, inspected
from tests.core.bodies import analysis
from tests.people import Person
from tests.usage.answers import note, receipt, receipt_for, tokens

FLASH, PRO = "gemini-2.5-flash", "gemini-2.5-pro"
TOTAL_ONLY = tokens(1000, 50, 1550)


def test_thinking_that_only_the_total_counts_is_missing() -> None:
    usage = b'"usage":{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1550}}'
    body = WHOLE[: WHOLE.index(b'"usage":')].replace(b"gpt-4o", FLASH.encode()) + usage
    url = "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions"
    found = receipt_for(analysis(body, request=Request(url=url)))
    assert (found.total_usd, found.is_lower_bound) == (Decimal("0.000425"), True)
    assert found.unpriced_items == (UnpricedItem(500, "thinking", "total_tokens"),)
    assert note("excluded", count=500, field="total_tokens") in found.notes


@pytest.mark.parametrize(("vendor", "kind"), [
    ("vertexai", "thinking"),
    ("openai", "total_only"),
    (None, "total_only"),
])  # fmt: skip
def test_what_only_the_total_counts_is_missing_for_all(vendor: str | None, kind: str) -> None:
    found = receipt(vendor, "gpt-4o" if vendor == "openai" else FLASH, TOTAL_ONLY)
    assert found.unpriced_items == (UnpricedItem(500, kind, "total_tokens"),)


@pytest.mark.parametrize(
    "usage",
    [tokens(1000, 50, 1050), tokens(1000, 50), tokens(1000, 50, 900), tokens(1000, 50, None)],
)
def test_a_total_that_counts_no_more_tells_nothing(usage: dict[str, object]) -> None:
    found = receipt("gemini", FLASH, usage)
    assert (found.total_usd, found.unpriced_items) == (Decimal("0.000425"), ())


def test_a_stated_cost_above_the_least_is_no_contradiction() -> None:
    assert cost_findings(receipt("gemini", FLASH, TOTAL_ONLY, costs=("0.001675",))) == ()
    assert len(cost_findings(receipt("gemini", FLASH, TOTAL_ONLY, costs=("0.0001",)))) == 1


@pytest.mark.parametrize("vendor", ["gemini", "vertexai", None])
@pytest.mark.parametrize(
    ("model", "completion", "total", "usd"),
    [(FLASH, 600, 2100, "0.00305"), (PRO, 50, 1550, "0.00675")],
)
def test_numbers_that_fit_beside_alone_are_paid_so_whoever_the_vendor_is(
    vendor: str | None, model: str, completion: int, total: int, usd: str
) -> None:
    usage = tokens(1000, (completion, {"reasoning_tokens": 500}), total)
    found = receipt(vendor, model, usage)
    assert (found.total_usd, found.unpriced_items) == (Decimal(usd), ())
    codes = {each.code for each in found.notes}
    assert codes & {"fits_outside", "fits_outside_against_documents"}


def test_numbers_that_fit_inside_are_paid_so() -> None:
    usage = tokens(1000, (600, {"reasoning_tokens": 500}), 1600)
    costs = {receipt(vendor, FLASH, usage).total_usd for vendor in ("gemini", "vertexai", None)}
    assert costs == {Decimal("0.0018")}


def test_what_reasoning_beside_leaves_of_the_total_is_missing() -> None:
    usage = tokens(1000, (600, {"reasoning_tokens": 500}), 2200)
    found = receipt("gemini", FLASH, usage)
    assert found.total_usd == Decimal("0.0018")
    assert found.unpriced_items == (UnpricedItem(600, "thinking", "total_tokens"),)


def test_sums_add_up_what_was_paid(owner: Person) -> None:
    usage = (
        b'"usage":{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":%d,'
        b'"completion_tokens_details":{"reasoning_tokens":500}}}'
    )
    body = WHOLE[: WHOLE.index(b'"usage":')]
    known = body.replace(b'"created"', b'"service_tier":"default","created"')
    inspected(owner, known + usage % 1550)
    assert Price.objects.get().reason is None
    found = owner.get("/api/v1/usage/").json["all"]["tokens"]
    assert found["reasoning_tokens"] == {"sum": 500, "captures": 1}
