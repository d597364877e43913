"""The receipt in the panel of usage: what it says where a cost is known, unknown or contradicted."""

from __future__ import annotations

import json
from typing import Any

from django.template.loader import render_to_string
from msgspec.structs import replace

from inspector.core.completion import Choice, Usage
from inspector.core.service_tier import ServiceTier
from inspector.dashboard.capture.panels.usage import UsageDisplay, draw
from inspector.dashboard.text.receipt import ReceiptDisplay
from tests.dashboard.capture.samples import analysis, view

CACHED = Usage(reported=True, prompt_tokens=1846, completion_tokens=311, total_tokens=2157,
               cached_tokens=1536)  # fmt: skip
GPT: dict[str, Any] = {"vendor": "openai", "model": "gpt-4o-2024-08-06", "usage": CACHED}


def shown(*choices: Choice, **changes: Any) -> ReceiptDisplay:
    content = draw(view(analysis(*choices, **changes))).content
    assert isinstance(content, UsageDisplay)
    return content.receipt


def page(*choices: Choice, **changes: Any) -> str:
    captured = view(analysis(*choices, **changes))
    drawn = draw(captured)
    return render_to_string(
        "dashboard/capture/panels/usage.html", {"content": drawn.content, "view": captured}
    )


def test_each_kind_of_token_is_a_line_of_count_rate_and_amount() -> None:
    receipt = shown(**GPT, service_tier=ServiceTier("default"))
    assert [(line.count, line.what, line.rate, line.amount) for line in receipt.lines] == [
        (310, "prompt, not cached", "$2.5 per million", "$0.000775"),
        (1536, "cached", "$1.25 per million", "$0.00192"),
        (311, "completion", "$10 per million", "$0.00311"),
    ]
    assert (receipt.total, receipt.why_unknown) == ("$0.005805", "")
    assert receipt.rates == (
        "genai-prices 0.2.3: gpt-4o at openai on 2026-11-20, service tier default"
    )


def test_a_cost_that_is_not_known_is_no_zero_and_says_why() -> None:
    receipt = shown(**{**GPT, "model": "parcel-1"})
    assert (receipt.lines, receipt.total, receipt.rates) == ((), "", "")
    assert receipt.why_unknown == "genai-prices 0.2.3 has no price for model `parcel-1` at OpenAI"
    text = page(**{**GPT, "model": "parcel-1"})
    assert "no price for model `parcel-1`" in text
    assert "$0" not in text


def test_a_stated_cost_stands_beside_the_computed_one() -> None:
    equal = shown(Choice(index=0, cost_usd="0.005805"), **GPT).stated
    assert equal and (equal.holds, equal.sums, equal.words) == (True, "$0.005805 = $0.005805", "")
    rounded = shown(Choice(index=0, cost_usd="0.0058"), **GPT).stated
    assert rounded and (rounded.holds, rounded.sums) == (True, "$0.0058 ≈ $0.005805")
    assert rounded.words == "$0.000005 below the computed cost, within rounding"
    wrong = shown(Choice(index=0, cost_usd="0.007725"), **GPT).stated
    assert wrong and (wrong.holds, wrong.sums) == (False, "$0.007725 ≠ $0.005805")
    assert wrong.words == "$0.00192 above the computed cost"
    assert shown(Choice(index=0), **GPT).stated is None


def test_a_total_that_something_billed_is_not_in_is_the_least() -> None:
    searching = replace(CACHED, extras={"/num_search_queries": 3})
    changes = {**GPT, "usage": searching}
    receipt = shown(**changes)
    assert (receipt.total, receipt.unpriced) == ("≥ $0.005805", "3 searches")
    assert "cost, computed: at least, excludes 3 searches" in page(**changes)
    assert "at least" not in page(**GPT)
    for cost, holds, sums, words in (
        ("0.007725", True, "$0.007725 ≥ $0.005805", "$0.00192 above the computed cost"),
        ("0.0058", True, "$0.0058 ≈ $0.005805", "$0.000005 below the computed cost, within rounding"),
        ("0.0048", False, "$0.0048 ≠ $0.005805", "$0.001005 below the computed cost"),
    ):  # fmt: skip
        found = shown(Choice(index=0, cost_usd=cost), **changes).stated
        assert found and (found.holds, found.sums, found.words) == (holds, sums, words)
        assert found.line == "stated cost ≥ computed cost"


def test_a_stated_cost_stands_alone_where_none_can_be_computed() -> None:
    receipt = shown(Choice(index=0, cost_usd="0.25"), **{**GPT, "model": "parcel-1"})
    assert (receipt.stated, receipt.stated_alone) == (None, "$0.25")


def test_the_receipt_can_be_copied_as_json() -> None:
    receipt = json.loads(shown(**GPT).json)
    assert (receipt["total_usd"], receipt["table"]) == ("0.005805", "genai-prices 0.2.3")
    assert receipt["lines"][1] == {
        "kind": "cached",
        "count": 1536,
        "rate_usd": "1.25",
        "per": 1000000,
        "amount_usd": "0.00192",
        "without": [],
        "outside": None,
    }
    assert 'data-copy="#receipt-json"' in page(**GPT)
    assert 'id="receipt-json"' in page(**GPT)


def test_hostile_names_and_tiers_are_text_and_short() -> None:
    name = "<script>alert(1)</script>" + "x" * 5000
    text = page(**{**GPT, "model": name})
    assert "<script>" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;xxx" in text
    assert "no price for model" in page(**{**GPT, "model": "claude\x00\u202e"})
    tier = "<img src=x>" + "y" * 5000
    assert "&lt;img src=x&gt;" in page(**GPT, service_tier=ServiceTier(tier))


def test_the_largest_counts_are_told_and_not_priced() -> None:
    largest = Usage(reported=True, prompt_tokens=2**63 - 1, completion_tokens=2**63 - 1)
    receipt = shown(**{**GPT, "usage": largest})
    assert receipt.total == ""
    assert receipt.why_unknown == (
        "9,223,372,036,854,775,807 prompt tokens are more than any model handles"
    )
    assert receipt.why_unknown in page(**{**GPT, "usage": largest})
