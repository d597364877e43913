"""The receipt in the panel of usage: what it says where a cost is known, unknown or contradicted."""

import json
from typing import Any

from django.template.loader import render_to_string
from msgspec.structs import replace

from inspector.core.completion import Choice, Usage
from inspector.core.fields.service_tier import ServiceTier
from inspector.core.formats import usage_table_of
from inspector.core.formats.anthropic import USAGE as ANTHROPIC
from inspector.core.tokens.ledger import UsageLedger
from inspector.core.tokens.usage import read_usage
from inspector.core.wire.exchange import Exchange
from inspector.dashboard.capture.usage.panel import UsageDisplay, counts_of, draw, sum_of_wholes
from inspector.dashboard.text.receipt import ReceiptDisplay
from tests.dashboard.capture.samples import analysis, read_view, view

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
    assert receipt.why_unknown == (
        "no price is known for `parcel-1` at OpenAI (genai-prices 0.2.3)"
    )
    text = page(**{**GPT, "model": "parcel-1"})
    assert "no price is known for <code>parcel-1</code> at OpenAI" in text
    hostile = page(**{**GPT, "model": "<u>"})
    assert "<code>&lt;u&gt;</code>" in hostile and "<u>" not in hostile
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
    assert "no price is known for" in page(**{**GPT, "model": "claude\x00\u202e"})
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


# -- counts ----------------------------------------------------------------------------------------


def test_a_count_that_was_added_up_says_what_was_added_and_where_it_stood() -> None:
    sent = {"input_tokens": 3, "cache_creation_input_tokens": 2048, "cache_read_input_tokens": 0}
    usage = read_usage({**sent, "output_tokens": 12}, "/usage", table=ANTHROPIC)
    ledger = UsageLedger(usage, (), None, ANTHROPIC)
    (prompt, *_), _ = counts_of(ledger, "/usage")
    assert (prompt.name, prompt.value_text, prompt.pointer) == ("prompt_tokens", "2,051", None)
    assert prompt.added == "3 + 2,048 + 0"
    assert prompt.added_at == (
        "/input_tokens",
        "/cache_creation_input_tokens",
        "/cache_read_input_tokens",
    )


def names_of_counts(dialect: str, usage: Usage) -> list[str]:
    ledger = UsageLedger(usage, (), None, usage_table_of(dialect))
    return [row.name for rows in counts_of(ledger, "/usage") for row in rows]


def test_a_total_that_the_format_does_not_have_is_not_told_as_not_sent() -> None:
    usage = Usage(reported=True, prompt_tokens=3, completion_tokens=2)
    assert names_of_counts("ollama", usage) == ["prompt_tokens", "completion_tokens"]
    assert names_of_counts("openai-responses", usage)[0] == "total_tokens"


def test_fields_of_usage_that_are_no_counts_are_told_apart_from_unknown_ones() -> None:
    sent = {"input_tokens": 3, "service_tier": "standard", "mood": "calm"}
    usage = read_usage(sent, "/usage", table=ANTHROPIC)
    text = page(dialect="anthropic", usage=usage)
    assert '<code>/service_tier</code> <span class="soft"></span>' in text
    assert '<code>/mood</code> <span class="soft">is not a count that this format' in text


def test_usage_that_stands_beside_the_other_fields_says_so() -> None:
    usage = Usage(reported=True, prompt_tokens=3, found_at=4, pointer="")
    assert "</a> beside its other fields</span>" in page(dialect="ollama", usage=usage)


def test_the_page_shows_the_places_of_a_sum() -> None:
    sent = {"input_tokens": 3, "cache_read_input_tokens": 2048, "output_tokens": 12}
    usage = read_usage(sent, "/usage", table=ANTHROPIC)
    text = page(dialect="openai-chat", usage=usage)
    places = "3 + 2,048: <code>/input_tokens</code>, <code>/cache_read_input_tokens</code>"
    assert places in " ".join(text.split())


def test_a_format_without_a_total_is_counted_by_its_wholes() -> None:
    sent = {"input_tokens": 3, "cache_read_input_tokens": 2048, "output_tokens": 12}
    usage = read_usage(sent, "/usage", table=ANTHROPIC)
    assert sum_of_wholes(analysis(dialect="anthropic", usage=usage)) == "2,051 + 12"
    assert sum_of_wholes(analysis(dialect="anthropic", usage=Usage(reported=True))) == ""
    assert sum_of_wholes(analysis(**GPT)) == ""


def test_usage_of_a_body_of_no_known_format_is_shown_as_a_key_figure_shows_it() -> None:
    counts = b'{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}'
    body = b'{"object":"thread.run","usage":' + counts + b"}"
    shown = read_view(Exchange.of_body(body, "application/json"))
    assert shown.analysis is not None and shown.analysis.verdict == "not-a-response"
    drawn = draw(shown)
    assert (drawn.why_empty, drawn.count) == ("", "5")
