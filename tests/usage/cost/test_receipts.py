"""What a receipt says where a cost is not known, where something is assumed, and where it is
contradicted.
"""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from inspector.core.completion import Json
from inspector.core.tokens.usage import PLACES
from inspector.core.vendors import vendors
from inspector.usage.cost.billable import billable_of, decode_billable, encode_billable
from inspector.usage.cost.money import dollars
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.receipts import cost_findings, receipt_as_json
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedItem, UnpricedKind
from inspector.usage.cost.unpriced import decode_unpriced as unpacked_missing
from inspector.usage.cost.unpriced import encode_unpriced as packed_missing
from tests.archive.samples import WHOLE
from tests.core.bodies import analysis
from tests.usage.answers import AT, answer, receipt, receipt_for, tokens

GPT = ("openai", "gpt-4o-2024-08-06")
FEW = tokens(9, 12, 21)


def why(vendor: str | None, model: str | None, usage: Json = FEW, **more: Any) -> str:
    found = receipt(vendor, model, usage, **more)
    assert found.total_usd is None and found.lines == ()
    return found.why_unknown


# -- counts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usage", "reason"),
    [
        (UNSET, "usage was not sent"),
        (None, "usage was not sent"),
        ([1], "usage is an array, which is no object"),
        (tokens(-3, 12), "prompt_tokens is -3, which is no count"),
        (tokens(True, 12), "prompt_tokens is true, which is no count"),
        (tokens(9, 1.5), "completion_tokens is 1.5, which is no count"),
        (tokens(9, "12"), "completion_tokens is the text `12`, which is no count"),
        (tokens({}, 12), "prompt_tokens is an object, which is no count"),
        (tokens(2**63, 12), "prompt_tokens is 9223372036854775808, which is no count"),
        (tokens(10**90, 12), "prompt_tokens is an integer of more than 80 digits, which is no count"),
        (tokens(None, 12), "prompt_tokens is null"),
        ({"prompt_tokens": 9}, "completion_tokens was not sent"),
        ({"completion_tokens": 9}, "prompt_tokens was not sent"),
        (tokens((9, {"cached_tokens": -1}), 12), "cached_tokens is -1, which is no count"),
        (
            tokens((9, {"cached_tokens": 10}), 12),
            "10 cached tokens are more than the 9 prompt tokens they are part of",
        ),
        (
            tokens(9, (12, {"reasoning_tokens": 13}), 21),
            "13 reasoning tokens are more than the 12 completion tokens they are part of",
        ),
        (
            tokens((9, {"cached_tokens": 4}), 12, prompt_cache_hit_tokens=5),
            "cached_tokens is 4 but prompt_cache_hit_tokens is 5",
        ),
    ],
)  # fmt: skip
def test_a_cost_is_unknown_where_a_count_is_and_says_which(usage: Json, reason: str) -> None:
    assert why(*GPT, usage) == reason


def test_parts_that_overlap_by_an_unknown_number_are_not_priced() -> None:
    usage = tokens((100, {"cached_tokens": 80, "audio_tokens": 60}), 5, 105)
    assert why("gemini", "gemini-2.5-flash", usage) == (
        "80 cached and 60 prompt audio tokens are together more than the 100 prompt tokens they are "
        "part of: how many are both was not sent"
    )


def test_parts_that_may_be_different_tokens_are_priced_so_and_this_is_noted() -> None:
    usage = tokens((100, {"cached_tokens": 30, "audio_tokens": 60}), 0, 100)
    found = receipt("gemini", "gemini-2.5-flash", usage)
    # 10 × 0.3 + 30 × 0.03 + 60 × 1
    assert found.total_usd == Decimal("0.0000639")
    assert found.notes == (
        "cached and prompt audio are taken as different tokens: how many are both was not sent",
    )


def test_no_tokens_cost_nothing_which_is_not_unknown() -> None:
    found = receipt(*GPT, tokens(0, 0, 0))
    assert (found.total_usd, found.why_unknown) == (Decimal(0), "")
    assert [(line.count, line.amount_usd) for line in found.lines] == [(0, 0), (0, 0)]


def test_what_no_model_reaches_has_no_cost() -> None:
    most = 10**9 - 1
    found = receipt("groq", "llama-3.1-8b-instant", tokens(most, most))
    assert found.total_usd == Decimal("129.99999987")  # 999.999999 × (0.05 + 0.08)
    for prompt, completion in ((most + 1, 0), (0, 2**63 - 1)):
        unknown = receipt(*GPT, tokens(prompt, completion))
        assert (unknown.total_usd, unknown.reason) == (None, CostUnknownReason.TOO_LARGE)
        assert "tokens are more than any model reaches" in unknown.why_unknown
    costly = receipt("openai", "gpt-4o", tokens(0, most))
    assert (costly.total_usd, costly.reason) == (None, CostUnknownReason.TOO_LARGE)
    assert costly.why_unknown == "$9999.99999 are more than any response costs"


def test_a_part_without_a_rate_is_paid_as_its_whole_and_this_is_noted() -> None:
    usage = tokens((100, {"audio_tokens": 60}), (20, {"reasoning_tokens": 8}), 120)
    found = receipt("openai", "gpt-4o-audio-preview", usage)
    assert [(line.what, line.count) for line in found.lines] == [
        ("prompt", 100),
        ("completion", 20),
    ]
    assert found.notes == (
        "60 prompt audio tokens at the rate of prompt: genai-prices 0.2.3 has none of their own",
        "8 reasoning tokens at the rate of completion: genai-prices 0.2.3 has none of their own",
    )


def test_audio_that_is_paid_by_the_hour_is_not_paid_by_the_token() -> None:
    usage = tokens((10, {"audio_tokens": 500}), 20, 530)
    assert why("mistral", "voxtral-small-2507", usage) == (
        "genai-prices 0.2.3 prices audio of model `voxtral-small-24b-2507` by the hour"
    )


def test_what_is_counted_and_not_priced_is_named() -> None:
    usage = tokens(9, 12, 21, num_search_queries=3, citation_tokens=0)
    found = receipt("perplexity", "sonar-deep-research", usage)
    assert found.notes == ("not in this sum: 3 of num_search_queries",)
    assert found.missing == (UnpricedItem(3, UnpricedKind.SEARCHES, "num_search_queries"),)
    assert found.is_lower_bound
    searched = receipt(*GPT, tokens(9, 12, 21, server_tool_use={"web_search_requests": 2}))
    assert searched.notes == ("not in this sum: 2 of server_tool_use/web_search_requests",)
    for odd in ({"web_search_requests": 0}, {"web_search_requests": True}, 2, None, []):
        whole = receipt(*GPT, tokens(9, 12, 21, server_tool_use=odd))
        assert (whole.notes, whole.is_lower_bound) == ((), False)


def test_what_is_missing_is_stored_by_code() -> None:
    usage = tokens(9, 12, 21, num_search_queries=1, citation_tokens=1200, num_sources_used=2**62)
    found = receipt(*GPT, usage).missing
    stored = packed_missing(found)
    assert stored == [
        [1_200, "citations", "citation_tokens"],
        [1, "searches", "num_search_queries"],
        [2**62, "sources", "num_sources_used"],
    ]
    assert unpacked_missing(stored) == found
    assert (packed_missing(()), unpacked_missing(None)) == (None, ())
    later = [[3, "things_of_a_later_release", "things"]]
    assert packed_missing(unpacked_missing(later)) == later


@pytest.mark.parametrize(
    ("counts", "missing", "note"),
    [
        (
            {"num_search_queries": 3, "server_tool_use": {"web_search_requests": 3}},
            [[3, "searches", "num_search_queries"]],
            "",
        ),
        (
            {"num_search_queries": 3, "server_tool_use": {"web_search_requests": 5}},
            [[5, "searches", "server_tool_use/web_search_requests"]],
            "server_tool_use/web_search_requests is 5, where num_search_queries is 3",
        ),
        (
            {
                "num_search_queries": 1_200,
                "server_tool_use": {"web_search_requests": 0},
                "server_tool_use_details": {"web_search_requests": 5},
            },
            [[1_200, "searches", "num_search_queries"]],
            "num_search_queries is 1,200, where server_tool_use_details/web_search_requests is 5",
        ),
        (
            {"num_search_queries": 3, "num_sources_used": 3},
            [[3, "searches", "num_search_queries"], [3, "sources", "num_sources_used"]],
            "",
        ),
    ],
)
def test_one_count_under_two_names_is_missing_once(counts: Any, missing: Any, note: str) -> None:
    found = receipt(*GPT, tokens(9, 12, 21, **counts))
    assert packed_missing(found.missing) == missing
    assert [each for each in found.notes if "where" in each] == [note] * bool(note)


def test_searches_under_another_name_too_are_paid_for_where_they_are_as_many() -> None:
    names = {"num_search_queries": 3, "server_tool_use": {"web_search_requests": 3}}
    assert not receipt("perplexity", "sonar", tokens(9, 12, **names)).is_lower_bound
    names["server_tool_use"] = {"web_search_requests": 4}
    found = receipt("perplexity", "sonar", tokens(9, 12, **names))
    assert packed_missing(found.missing) == [[4, "searches", "server_tool_use/web_search_requests"]]


@pytest.mark.parametrize(
    ("vendor", "model", "usage"),
    [
        # At the rate of prompt: none of their own is known.
        ("openai", "gpt-4o-2024-08-06", tokens((9, {"audio_tokens": 4}), 12)),
        ("openai", "gpt-4o-2024-08-06", tokens((9, {"cache_write_tokens": 4}), 12)),
        # Beside the completion, and paid for there.
        ("openai", "gpt-4o-2024-08-06", tokens(9, (12, {"reasoning_tokens": 5}), 26)),
        # The same tokens under another name.
        (
            "anthropic",
            "claude-sonnet-4-5",
            tokens((9, {"cache_write_tokens": 4}), 12, cache_creation_input_tokens=4),
        ),
    ],
)
def test_what_is_paid_at_another_rate_is_not_missing(vendor: str, model: str, usage: Json) -> None:
    found = receipt(vendor, model, usage)
    assert found.total_usd is not None and not found.is_lower_bound
    assert not any("not in this sum" in note for note in found.notes)


def test_tokens_written_to_the_cache_that_no_line_holds_are_missing() -> None:
    found = receipt("anthropic", "claude-sonnet-4-5", tokens(9, 12, cache_creation_input_tokens=4))
    assert packed_missing(found.missing) == [[4, "cache_writes", "cache_creation_input_tokens"]]


def test_an_unknown_cost_is_no_lower_bound() -> None:
    found = receipt("openai", "parcel-1", tokens(9, 12, num_search_queries=3))
    assert (found.total_usd, found.missing, found.is_lower_bound) == (None, (), False)
    assert found.notes == ()


def test_searches_are_paid_for_with_the_request_where_that_has_a_rate() -> None:
    found = receipt("perplexity", "sonar", tokens(9, 12, 21, num_search_queries=3))
    assert [line.what for line in found.lines] == ["prompt", "completion", "request"]
    assert not found.is_lower_bound
    assert found.notes == ("3 of num_search_queries taken as paid for with the request",)
    citing = receipt("perplexity", "sonar", tokens(9, 12, 21, citation_tokens=3))
    assert packed_missing(citing.missing) == [[3, "citations", "citation_tokens"]]
    other = tokens(9, 12, 21, server_tool_use={"web_search_requests": 40})
    assert [each.count for each in receipt("perplexity", "sonar", other).missing] == [40]


def test_a_rate_by_the_request_that_a_team_set_pays_for_no_search() -> None:
    rates = {
        TokenKind.PROMPT: Decimal(1),
        TokenKind.COMPLETION: Decimal(1),
        TokenKind.REQUEST: Decimal("0.005"),
    }
    for vendor, model, usage in (
        ("anthropic", "claude-sonnet-4-5", {"server_tool_use": {"web_search_requests": 40}}),
        ("perplexity", "sonar", {"num_search_queries": 40}),
    ):
        own = Override(model, rates, starts=date(2026, 1, 1))
        found = receipt_for(answer(vendor, model, tokens(9, 12, **usage)), overrides=[own])
        assert [line.what for line in found.lines] == ["prompt", "completion", "request"]
        assert [(each.count, each.what) for each in found.missing] == [(40, "searches")]


@pytest.mark.parametrize(
    ("stated", "searches", "message"),
    [
        ("0.5", 0, "The answer states a cost of $0.5; by genai-prices 0.2.3 it is $0.0001425."),
        ("0.5", 3, None),
        (
            "0.0000001",
            3,
            "The answer states a cost of $0.0000001; by genai-prices 0.2.3 it is at least $0.0001425.",
        ),
        ("0.00014", 3, None),
    ],
)  # fmt: skip
def test_a_stated_cost_contradicts_a_lower_bound_only_from_below(
    stated: str, searches: int, message: str | None
) -> None:
    usage = tokens(9, 12, 21, num_search_queries=searches)
    found = cost_findings(receipt(*GPT, usage, costs=(stated,)))
    assert [each.message for each in found] == ([] if message is None else [message])


def test_what_is_missing_is_kept_in_a_bill() -> None:
    bill = billable_of(answer(*GPT, tokens(9, 12, 21, num_search_queries=3)), None)
    assert decode_billable(encode_billable(bill)) == bill


def test_a_reading_of_the_counts_that_is_only_assumed_is_noted() -> None:
    found = receipt(*GPT, tokens(9, (12, {"reasoning_tokens": 5}), 26))
    assert found.notes[0] == "adds up only if reasoning is counted separately from completion"


def test_everything_cached_leaves_no_line_of_the_rest() -> None:
    found = receipt(*GPT, tokens((8, {"cached_tokens": 8}), 0))
    assert [(line.what, line.count) for line in found.lines] == [("cached", 8), ("completion", 0)]


# -- vendor and model ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vendor", "model", "reason"),
    [
        ("groq", "parcel-1", "no price of model `parcel-1` at Groq in genai-prices 0.2.3"),
        ("vllm", "gpt-4o", "no prices of vLLM in genai-prices 0.2.3"),
        ("huggingface", "gpt-4o", "no prices of Hugging Face in genai-prices 0.2.3"),
        (None, "parcel-1", "the vendor is not known, and no maker of model `parcel-1` in genai-prices 0.2.3"),
        (
            "litellm",
            "parcel-1",
            "LiteLLM passes on what others answer, and no maker of model `parcel-1` in genai-prices 0.2.3",
        ),
        (
            None,
            "gemini-claude-grok",
            "the vendor is not known, and no maker of model `gemini-claude-grok` in genai-prices 0.2.3",
        ),
        ("openai", None, "no model is named"),
        ("openai", "", "no model is named"),
    ],
)  # fmt: skip
def test_a_cost_is_unknown_where_no_price_is_and_says_whose(
    vendor: str | None, model: str | None, reason: str
) -> None:
    assert why(vendor, model) == reason


def test_a_model_that_one_maker_has_is_priced_without_its_vendor_and_says_so() -> None:
    found = receipt(None, "gpt-4o-2024-08-06", FEW)
    assert (found.provider, found.total_usd) == ("openai", Decimal("0.0001425"))
    assert found.notes == ("the vendor is not known: priced as at OpenAI, who makes it",)
    passed_on = receipt("vercel-gateway", "anthropic/claude-sonnet-4-5", FEW)
    assert passed_on.provider == "anthropic"
    assert passed_on.notes == (
        "Vercel AI Gateway passes on what others answer: priced as at Anthropic, who makes it",
    )


def test_a_price_that_a_vendor_takes_over_from_the_maker_says_so() -> None:
    found = receipt("azure", "gpt-4o-2024-11-20", FEW)
    assert (found.provider, found.model) == ("azure", "gpt-4o")
    assert found.notes == ("Azure has no price of its own there: its maker's holds",)
    assert receipt("azure", "gpt-4o-mini", FEW).why_unknown == ""


def test_the_model_asked_for_stands_in_where_the_answer_names_none() -> None:
    found = receipt_for(answer("openai", None, FEW), request_model="gpt-4o")
    assert found.total_usd == Decimal("0.0001425")
    assert found.notes == ("the answer names no model: priced as the one that was asked for",)
    answered = receipt_for(answer("openai", "gpt-5", FEW), request_model="gpt-4o")
    assert answered.model == "gpt-5" and answered.notes == ()


def test_what_the_table_lists_as_free_costs_nothing() -> None:
    found = receipt("openrouter", "agentica-org/deepcoder-14b-preview:free", FEW)
    assert found.total_usd == 0
    assert why("cerebras", "qwen-3-coder-480b") == (
        "genai-prices 0.2.3 has no rate for prompt tokens of model `qwen-3-coder-480b`"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("claude" + "x" * 5000, "`claude" + "x" * 74 + "…`"),
        ("claude-\x00\x1b[31m\u202e", "`claude-\\x00\\x1b[31m\\u202e`"),
        ("гпт-4о", "`гпт-4о`"),
        ("<script>alert(1)</script>", "`<script>alert(1)</script>`"),
        ("a\nb", "`a\\nb`"),
        ("half \ud800", "`half \\ud800`"),
        (" ", "` `"),
    ],
)
@pytest.mark.parametrize("vendor", [None, "anthropic", "openrouter"])
def test_a_hostile_name_of_a_model_has_no_price_and_is_told_in_one_short_line(
    vendor: str | None, name: str, shown: str
) -> None:
    reason = why(vendor, name)
    assert shown in reason
    assert len(reason) < 220 and reason.isprintable()
    assert (
        json.loads(json.dumps(receipt_as_json(receipt(vendor, name, FEW))))["model"] == name[:500]
    )


# -- the tier --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tier", [UNSET, None, "", "default", "standard", "on_demand"])
def test_the_default_tier_has_many_words(tier: Json) -> None:
    more = {} if tier is UNSET else {"service_tier": tier}
    found = receipt("openai", "gpt-5", tokens(1_000_000, 0), **more)
    assert (found.total_usd, found.notes) == (Decimal("1.25"), ())
    assert found.tier == ("" if tier is UNSET else tier or "")


def test_auto_names_no_tier_and_this_is_noted() -> None:
    found = receipt("openai", "gpt-5", FEW, service_tier="auto")
    assert found.notes == ("service tier auto names none: the rates of the default tier hold",)


@pytest.mark.parametrize(
    ("vendor", "model", "tier", "reason"),
    [
        ("openai", "gpt-4o", "flex", "service tier `flex` has no price in genai-prices 0.2.3"),
        ("openai", "gpt-5", "scale", "service tier `scale` has no price in genai-prices 0.2.3"),
        ("openai", "gpt-5", "FLEX", "service tier `FLEX` has no price in genai-prices 0.2.3"),
        ("azure", "gpt-5", "priority", "service tier `priority` has no price in genai-prices 0.2.3"),
        ("groq", "llama-3.3-70b-versatile", "flex", "service tier `flex` has no price in genai-prices 0.2.3"),
        ("openai", "gpt-5", 5, "the service tier is no text"),
        ("openai", "gpt-5", "\x00" * 5000, "service tier `" + "\\x00" * 80 + "…` has no price in genai-prices 0.2.3"),
    ],
)  # fmt: skip
def test_a_tier_without_a_price_is_not_priced_as_the_default(
    vendor: str, model: str, tier: Json, reason: str
) -> None:
    assert why(vendor, model, service_tier=tier) == reason


def test_a_tier_that_had_no_price_yet_is_unknown_on_that_day() -> None:
    before = AT.replace(month=10, day=1)
    assert why("openai", "gpt-5", at=before, service_tier="flex") == (
        "service tier `flex` has no price of that day in genai-prices 0.2.3"
    )


def test_a_tier_can_stand_inside_usage() -> None:
    found = receipt("openai", "gpt-5", tokens(1_000_000, 0, service_tier="flex"))
    assert (found.tier, found.total_usd) == ("flex", Decimal("0.625"))


def test_a_rate_that_the_tier_lacks_is_the_default_one_and_this_is_noted() -> None:
    usage = tokens((1000, {"cached_tokens": 600}), 100, 1100)
    found = receipt("openai", "gpt-4o", usage, service_tier="batch")
    # 400 × 1.25 + 600 × 1.25 + 100 × 5
    assert found.total_usd == Decimal("0.00175")
    assert found.notes == (
        "cached at the rate of the default tier: genai-prices 0.2.3 has no other",
    )


def test_a_long_prompt_is_named() -> None:
    at_the_step = receipt("gemini", "gemini-2.5-pro", tokens(200_000, 0))
    assert (at_the_step.total_usd, at_the_step.notes) == (Decimal("0.25"), ())
    beyond = receipt("gemini", "gemini-2.5-pro", tokens(200_001, 0))
    assert beyond.total_usd == Decimal("0.5000025")
    assert beyond.notes == ("rates of a prompt of more than 200,000 tokens",)


# -- what was stated -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("costs", "stated", "contradicts"),
    [
        (("0.0001425",), "0.0001425", False),
        (("0.000142",), "0.000142", False),
        (("0.00014",), "0.00014", False),
        (("0.00014250000000000003",), "0.00014250000000000003", False),
        (("1.425e-4",), "0.0001425", False),
        (("0.0001", "0.0000425"), "0.0001425", False),
        (("0.00",), "0.00", True),
        (("0",), "0", True),
        (("0.000285",), "0.000285", True),
        (("0.0001435",), "0.0001435", True),
        (("1",), "1", True),
        (("1000",), "1000", True),
    ],
)
def test_a_stated_cost_may_be_rounded_but_not_different(
    costs: tuple[str, ...], stated: str, contradicts: bool
) -> None:
    found = receipt(*GPT, FEW, costs=costs)
    assert found.total_usd == Decimal("0.0001425")
    assert found.stated_usd == Decimal(stated)
    assert found.is_contradicted is contradicts
    assert len(cost_findings(found)) == contradicts


def test_a_difference_is_a_finding_that_leads_to_the_stated_cost() -> None:
    [finding] = cost_findings(receipt(*GPT, FEW, costs=("0.000285",)))
    assert (finding.code, finding.severity, finding.where.pointer) == (
        "cost.stated-differs",
        "info",
        "/choices/0/cost_usd",
    )
    assert finding.message == (
        "The answer states a cost of $0.000285; by genai-prices 0.2.3 it is $0.0001425."
    )


@pytest.mark.parametrize(
    ("costs", "note"),
    [
        (("0.1", UNSET), "cost_usd is stated for 1 of 2 choices"),
        (("0.1", None), "cost_usd is stated for 1 of 2 choices"),
    ],
)
def test_a_stated_cost_that_does_not_cover_the_answer_is_not_compared(
    costs: tuple[Any, ...], note: str
) -> None:
    found = receipt(*GPT, FEW, costs=costs)
    assert (found.stated_usd, found.notes, cost_findings(found)) == (None, (note,), ())


@pytest.mark.parametrize(
    ("costs", "note"),
    [
        (("1e999",), "cost_usd is no amount that can be added up"),
        (("NaN",), "cost_usd is no amount that can be added up"),
        (("-1",), "cost_usd is -$1, which no response costs"),
        (("2", "-1"), "cost_usd is -$1, which no response costs"),
        (("1e12",), "cost_usd is $1000000000000, which no response costs"),
        (("1000.01",), "cost_usd is $1000.01, which no response costs"),
        (("999", "2"), "cost_usd is $1001, which no response costs"),
    ],
)
def test_a_stated_cost_that_no_response_costs_is_told_and_compared_with_nothing(
    costs: tuple[str, ...], note: str
) -> None:
    found = receipt(*GPT, FEW, costs=costs)
    assert (found.stated_usd, found.notes, found.is_contradicted) == (None, (note,), False)
    [finding] = cost_findings(found)
    assert (finding.code, finding.severity) == ("cost.stated-odd", "warning")
    assert finding.message == f"The stated cost is in no sum: {note}."
    assert finding.where.pointer == "/choices/0/cost_usd"


ODD = [
    ("text", '"0.0075"', "the text `0.0075`"),
    ("true", "true", "true"),
    ("object", "{}", "an object"),
]


@pytest.mark.parametrize(
    ("sent", "said"), [each[1:] for each in ODD], ids=[each[0] for each in ODD]
)
def test_what_stands_in_place_of_a_choices_cost_is_told(sent: str, said: str) -> None:
    body = WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":' + sent.encode())
    found = receipt_for(analysis(body))
    note = f"cost_usd is {said}, which is no amount"
    assert (found.stated_usd, found.odd_stated, found.stated_at) == (
        None,
        note,
        "/choices/0/cost_usd",
    )
    assert note in found.notes
    assert [finding.code for finding in cost_findings(found)] == ["cost.stated-odd"]


@pytest.mark.parametrize(
    ("vendor", "usage", "note"),
    [
        ("openrouter", {"cost": "0.5"}, "cost is the text `0.5`, which is no amount"),
        ("openrouter", {"cost": True}, "cost is true, which is no amount"),
        ("openrouter", {"cost": None}, ""),
        ("perplexity", {"cost": {"total_cost": True}}, "the stated cost is no amount"),
        ("xai", {"cost_in_usd_ticks": -1}, "cost_in_usd_ticks is -1, which is no amount"),
        ("xai", {"cost_in_usd_ticks": "9"}, "cost_in_usd_ticks is the text `9`, which is no amount"),
        ("xai", {"cost_in_usd_ticks": 2**62}, "cost_in_usd_ticks is $461168601.8427387904, which no response costs"),
        ("xai", {"cost_in_usd_ticks": None}, ""),
        ("groq", {"cost": "0.5"}, ""),
    ],
)  # fmt: skip
def test_what_stands_in_place_of_a_cost_inside_usage_is_told(
    vendor: str, usage: dict[str, Json], note: str
) -> None:
    found = receipt(vendor, "gpt-4o", tokens(9, 12, 21, **usage))
    assert (found.stated_usd, found.odd_stated) == (None, note)


def test_a_cost_inside_usage_is_compared_where_it_is_known_to_be_dollars() -> None:
    router = receipt("openrouter", "openai/gpt-4o", tokens(9, 12, 21, cost=0.0001425))
    assert (router.stated_usd, router.stated_at) == (Decimal("0.0001425"), "/usage/cost")
    searched = receipt("perplexity", "sonar", tokens(9, 12, 21, cost={"total_cost": 0.5}))
    assert (searched.stated_usd, searched.stated_at) == (Decimal("0.5"), "/usage/cost/total_cost")
    assert len(cost_findings(searched)) == 1
    assert receipt("groq", "llama-3.3-70b-versatile", tokens(9, 12, 21, cost=5)).stated_usd is None


@pytest.mark.parametrize(
    ("vendor", "ticks", "stated", "contradicts"),
    [
        ("xai", 1_750_000, "0.000175", False),
        ("xai", 3_500_000, "0.00035", True),
        ("xai", -1, None, False),
        ("xai", 1.5, None, False),
        ("xai", UNSET, None, False),
        ("azure", 0, None, False),
    ],
)
def test_xai_states_its_cost_in_ticks_of_a_ten_billionth(
    vendor: str, ticks: Json, stated: str | None, contradicts: bool
) -> None:
    more = {} if ticks is UNSET else {"cost_in_usd_ticks": ticks}
    usage = tokens(500, (10, {"reasoning_tokens": 40}), 550, **more)
    found = receipt(vendor, "grok-3-mini", usage)
    assert found.total_usd == Decimal("0.000175")  # 500 × 0.3 + 50 × 0.5
    assert found.stated_usd == (Decimal(stated) if stated else None)
    assert found.is_contradicted is contradicts


def test_what_a_router_takes_for_the_use_of_another_key_is_not_the_cost() -> None:
    usage = tokens(9, 12, 21, cost=0.0000071, is_byok=True)
    found = receipt("openrouter", "openai/gpt-4o", usage)
    assert (found.stated_usd, cost_findings(found)) == (None, ())
    assert found.notes == (
        "the stated cost is only what the router takes: the key is the caller's",
    )


def test_a_stated_cost_stands_where_the_computed_one_is_unknown() -> None:
    found = receipt("groq", "parcel-1", FEW, costs=("0.25",))
    assert (found.total_usd, found.stated_usd, found.difference_usd) == (
        None,
        Decimal("0.25"),
        None,
    )
    assert cost_findings(found) == ()


# -- as JSON ---------------------------------------------------------------------------------------


def test_amounts_are_decimal_text_in_json() -> None:
    assert receipt_as_json(receipt(*GPT, FEW, costs=("1e-7",), service_tier="default")) == {
        "total_usd": "0.0001425",
        "lines": (
            {"what": "prompt", "count": 9, "rate_usd": "2.5", "per": 1000000, "amount_usd": "0.0000225"},
            {"what": "completion", "count": 12, "rate_usd": "10", "per": 1000000, "amount_usd": "0.00012"},
        ),
        "table": "genai-prices 0.2.3",
        "provider": "openai",
        "model": "gpt-4o",
        "tier": "default",
        "stated_usd": "0.0000001",
        "why_unknown": "",
        "notes": (),
        "stated_at": "/choices/0/cost_usd",
        "reason": None,
        "odd_stated": "",
        "missing": (),
    }  # fmt: skip


def test_dollars_have_no_exponent_and_no_idle_zeros() -> None:
    amounts = (Decimal("1E-9"), Decimal("5.50"), Decimal("-0.10"), Decimal(100), None)
    assert [dollars(each) for each in amounts] == [
        "$0.000000001",
        "$5.5",
        "-$0.1",
        "$100",
        "unknown",
    ]


# -- whatever is sent ------------------------------------------------------------------------------

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(0, 2000), st.floats(), st.text(max_size=5)
)
NAMES = st.sampled_from([place for places in PLACES.values() for place in places])


@given(
    sent=st.dictionaries(NAMES, SCALARS, max_size=8),
    vendor=st.sampled_from([None, *vendors()]),
    model=st.one_of(st.none(), st.text(), st.sampled_from(["gpt-4o", "grok-3-mini", "sonar"])),
    tier=st.one_of(SCALARS, st.sampled_from(["flex", "auto", "batch"]), st.just([1])),
    cost=SCALARS.map(lambda value: value if value is None else str(value)),
)
@settings(max_examples=300, deadline=None)
def test_whatever_is_sent_there_is_a_sum_of_lines_or_a_reason(
    sent: dict[tuple[str, ...], Json], vendor: str | None, model: str | None, tier: Json, cost: Any
) -> None:
    usage: dict[str, Any] = {}
    for place, value in sent.items():
        inside = usage.setdefault(place[0], {}) if len(place) > 1 else usage
        if isinstance(inside, dict):
            inside[place[-1]] = value
    found = receipt(vendor, model, usage, costs=(cost,), service_tier=tier)
    assert (found.total_usd is None) == bool(found.why_unknown) == (found.reason is not None)
    assert found.total_usd is None or found.total_usd >= 0
    assert all(type(line.count) is int and line.count >= 0 for line in found.lines)
    with localcontext(prec=100):
        assert sum((line.amount_usd for line in found.lines), Decimal(0)) == (found.total_usd or 0)
    assert len(cost_findings(found)) == (found.is_contradicted or bool(found.odd_stated))
    json.dumps(receipt_as_json(found))
