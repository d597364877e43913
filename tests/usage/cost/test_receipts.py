"""Receipts where a cost is unknown, assumed, or contradicted."""

import json
from datetime import date
from decimal import Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from inspector.core.formats.usage_table import CHAT_USAGE
from inspector.core.json import Json
from inspector.core.vendors import vendors
from inspector.usage.cost.billable import billable_of, decode_billable, encode_billable
from inspector.usage.cost.money import dollars
from inspector.usage.cost.notes import CostNote, CostNoteCode, JsonType, SentValue
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.receipts import cost_findings, receipt_as_json
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import (
    UnpricedItem,
    UnpricedKind,
    decode_unpriced,
    encode_unpriced,
)
from tests.archive.samples import WHOLE
from tests.core.bodies import analysis
from tests.usage.answers import AT, answer, note, receipt, receipt_for, tokens

GPT = ("openai", "gpt-4o-2024-08-06")
FEW = tokens(9, 12, 21)
TABLE = "genai-prices 0.2.3"


NUMBER, STRING = JsonType.NUMBER, JsonType.STRING


def why(vendor: str | None, model: str | None, usage: Json = FEW, **more: Any) -> CostNote | None:
    found = receipt(vendor, model, usage, **more)
    assert found.total_usd is None and found.lines == () and found.reason is not None
    return found.detail


# -- counts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usage", "detail"),
    [
        (UNSET, None),
        (None, None),
        ([1], note("usage_not_an_object", sent=SentValue(JsonType.ARRAY))),
        (tokens(-3, 12), note("not_a_count", field="prompt_tokens", sent=SentValue(NUMBER, "-3"))),
        (tokens(True, 12), note("not_a_count", field="prompt_tokens", sent=SentValue(JsonType.BOOLEAN, "true"))),
        (tokens(9, 1.5), note("not_a_count", field="completion_tokens", sent=SentValue(NUMBER, "1.5"))),
        (tokens(9, "12"), note("not_a_count", field="completion_tokens", sent=SentValue(STRING, "12"))),
        (tokens({}, 12), note("not_a_count", field="prompt_tokens", sent=SentValue(JsonType.OBJECT))),
        (tokens(2**63, 12), note("not_a_count", field="prompt_tokens", sent=SentValue(NUMBER, "9223372036854775808"))),
        (tokens(10**90, 12), note("not_a_count", field="prompt_tokens", sent=SentValue(NUMBER, is_cut=True))),
        (tokens(None, 12), note("count_null", field="prompt_tokens")),
        ({"prompt_tokens": 9}, note("count_not_sent", field="completion_tokens")),
        ({"completion_tokens": 9}, note("count_not_sent", field="prompt_tokens")),
        (
            tokens((9, {"cached_tokens": -1}), 12),
            note("not_a_count", field="cached_tokens", sent=SentValue(NUMBER, "-1")),
        ),
        (
            tokens((9, {"cached_tokens": 10}), 12),
            note("part_exceeds_whole", part="cached", part_count=10, whole="prompt", whole_count=9),
        ),
        (
            tokens(9, (12, {"reasoning_tokens": 13}), 21),
            note(
                "part_exceeds_whole",
                part="reasoning", part_count=13, whole="completion", whole_count=12,
            ),
        ),
        (
            tokens((9, {"cached_tokens": 4}), 12, prompt_cache_hit_tokens=5),
            note(
                "names_disagree",
                field="cached_tokens", count=4,
                other_field="prompt_cache_hit_tokens", other_count=5,
            ),
        ),
    ],
)  # fmt: skip
def test_a_cost_is_unknown_where_a_count_is(usage: Json, detail: CostNote | None) -> None:
    assert why(*GPT, usage) == detail


def test_parts_that_overlap_by_an_unknown_number_are_not_priced() -> None:
    usage = tokens((100, {"cached_tokens": 80, "audio_tokens": 60}), 5, 105)
    assert why("gemini", "gemini-2.5-flash", usage) == note(
        "parts_exceed_whole",
        parts=("cached", "prompt_audio"),
        part_counts=(80, 60),
        whole="prompt",
        whole_count=100,
    )


def test_parts_that_may_be_different_tokens_are_priced_so_and_this_is_noted() -> None:
    usage = tokens((100, {"cached_tokens": 30, "audio_tokens": 60}), 0, 100)
    found = receipt("gemini", "gemini-2.5-flash", usage)
    # 10 × 0.3 + 30 × 0.03 + 60 × 1
    assert found.total_usd == Decimal("0.0000639")
    assert found.notes == (note("taken_as_disjoint", kinds=("cached", "prompt_audio")),)


def test_no_tokens_cost_nothing_which_is_not_unknown() -> None:
    found = receipt(*GPT, tokens(0, 0, 0))
    assert (found.total_usd, found.reason, found.detail) == (Decimal(0), None, None)
    assert [(line.count, line.amount_usd) for line in found.lines] == [(0, 0), (0, 0)]


def test_what_no_model_reaches_has_no_cost() -> None:
    most = 10**9 - 1
    found = receipt("groq", "llama-3.1-8b-instant", tokens(most, most))
    assert found.total_usd == Decimal("129.99999987")  # 999.999999 × (0.05 + 0.08)
    for prompt, completion in ((most + 1, 0), (0, 2**63 - 1)):
        unknown = receipt(*GPT, tokens(prompt, completion))
        assert (unknown.total_usd, unknown.reason) == (None, CostUnknownReason.TOO_LARGE)
        assert unknown.detail is not None and unknown.detail.code == CostNoteCode.COUNT_TOO_LARGE
    costly = receipt("openai", "gpt-4o", tokens(0, most))
    assert (costly.total_usd, costly.reason) == (None, CostUnknownReason.TOO_LARGE)
    assert costly.detail == note("cost_too_large", usd="9999.99999")


def test_a_part_without_a_rate_is_paid_as_its_whole_and_this_is_noted() -> None:
    usage = tokens((100, {"audio_tokens": 60}), (20, {"reasoning_tokens": 8}), 120)
    found = receipt("openai", "gpt-4o-audio-preview", usage)
    assert [(line.kind, line.count) for line in found.lines] == [
        ("prompt", 100),
        ("completion", 20),
    ]
    assert found.notes == (
        note("rate_of_whole", count=60, kind="prompt_audio", whole="prompt", table=TABLE),
        note("rate_of_whole", count=8, kind="reasoning", whole="completion", table=TABLE),
    )


def test_audio_that_is_paid_by_the_hour_is_not_paid_by_the_token() -> None:
    usage = tokens((10, {"audio_tokens": 500}), 20, 530)
    assert why("mistral", "voxtral-small-2507", usage) == note(
        "audio_priced_by_hour", model="voxtral-small-24b-2507", table=TABLE
    )


def test_what_is_counted_and_not_priced_is_named() -> None:
    usage = tokens(9, 12, 21, num_search_queries=3, citation_tokens=0)
    found = receipt("perplexity", "sonar-deep-research", usage)
    assert found.notes == (note("excluded", count=3, field="num_search_queries"),)
    assert found.unpriced_items == (UnpricedItem(3, UnpricedKind.SEARCHES, "num_search_queries"),)
    assert found.is_lower_bound
    searched = receipt(*GPT, tokens(9, 12, 21, server_tool_use={"web_search_requests": 2}))
    field = "server_tool_use/web_search_requests"
    assert searched.notes == (note("excluded", count=2, field=field),)
    for odd in ({"web_search_requests": 0}, {"web_search_requests": True}, 2, None, []):
        whole = receipt(*GPT, tokens(9, 12, 21, server_tool_use=odd))
        assert (whole.notes, whole.is_lower_bound) == ((), False)


def items(*found: tuple[int, str, str]) -> tuple[UnpricedItem, ...]:
    return tuple(UnpricedItem(*each) for each in found)


def test_unpriced_items_are_stored_by_code() -> None:
    usage = tokens(9, 12, 21, num_search_queries=1, citation_tokens=1200, num_sources_used=2**62)
    found = receipt(*GPT, usage).unpriced_items
    stored = encode_unpriced(found)
    assert stored == [
        {"count": 1_200, "kind": "citations", "field": "citation_tokens"},
        {"count": 1, "kind": "searches", "field": "num_search_queries"},
        {"count": 2**62, "kind": "sources", "field": "num_sources_used"},
    ]
    assert decode_unpriced(stored) == found
    assert (encode_unpriced(()), decode_unpriced(None)) == (None, ())
    later = [{"count": 3, "kind": "things_of_a_later_release", "field": "things"}]
    assert encode_unpriced(decode_unpriced(later)) == later


@pytest.mark.parametrize(
    ("counts", "unpriced", "notes"),
    [
        (
            {"num_search_queries": 3, "server_tool_use": {"web_search_requests": 3}},
            items((3, "searches", "num_search_queries")),
            [],
        ),
        (
            {"num_search_queries": 3, "server_tool_use": {"web_search_requests": 5}},
            items((5, "searches", "server_tool_use/web_search_requests")),
            [("server_tool_use/web_search_requests", 5, "num_search_queries", 3)],
        ),
        (
            {
                "num_search_queries": 1_200,
                "server_tool_use": {"web_search_requests": 0},
                "server_tool_use_details": {"web_search_requests": 5},
            },
            items((1_200, "searches", "num_search_queries")),
            [("num_search_queries", 1_200, "server_tool_use_details/web_search_requests", 5)],
        ),
        (
            {"num_search_queries": 3, "num_sources_used": 3},
            items((3, "searches", "num_search_queries"), (3, "sources", "num_sources_used")),
            [],
        ),
    ],
)
def test_one_count_under_two_names_is_unpriced_once(counts: Any, unpriced: Any, notes: Any) -> None:
    found = receipt(*GPT, tokens(9, 12, 21, **counts))
    assert found.unpriced_items == unpriced
    disagreeing = [each.values for each in found.notes if each.code == "names_disagree"]
    assert [tuple(values.values()) for values in disagreeing] == notes


def test_searches_under_another_name_too_are_paid_for_where_they_are_as_many() -> None:
    names = {"num_search_queries": 3, "server_tool_use": {"web_search_requests": 3}}
    assert not receipt("perplexity", "sonar", tokens(9, 12, **names)).is_lower_bound
    names["server_tool_use"] = {"web_search_requests": 4}
    found = receipt("perplexity", "sonar", tokens(9, 12, **names))
    assert found.unpriced_items == items((4, "searches", "server_tool_use/web_search_requests"))


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
    assert not any(each.code == "excluded" for each in found.notes)


def test_tokens_written_to_the_cache_that_no_line_holds_are_missing() -> None:
    found = receipt("anthropic", "claude-sonnet-4-5", tokens(9, 12, cache_creation_input_tokens=4))
    assert found.unpriced_items == items((4, "cache_writes", "cache_creation_input_tokens"))


def test_an_unknown_cost_is_no_lower_bound() -> None:
    found = receipt("openai", "parcel-1", tokens(9, 12, num_search_queries=3))
    assert (found.total_usd, found.unpriced_items, found.is_lower_bound) == (None, (), False)
    assert found.notes == ()


def test_searches_are_paid_for_with_the_request_where_that_has_a_rate() -> None:
    found = receipt("perplexity", "sonar", tokens(9, 12, 21, num_search_queries=3))
    assert [line.kind for line in found.lines] == ["prompt", "completion", "request"]
    assert not found.is_lower_bound
    assert found.notes == (note("paid_with_request", count=3, field="num_search_queries"),)
    citing = receipt("perplexity", "sonar", tokens(9, 12, 21, citation_tokens=3))
    assert citing.unpriced_items == items((3, "citations", "citation_tokens"))
    other = tokens(9, 12, 21, server_tool_use={"web_search_requests": 40})
    assert [each.count for each in receipt("perplexity", "sonar", other).unpriced_items] == [40]


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
        assert [line.kind for line in found.lines] == ["prompt", "completion", "request"]
        assert [(each.count, each.kind) for each in found.unpriced_items] == [(40, "searches")]


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
def test_a_lower_bound_is_no_upper_one(stated: str, searches: int, message: str | None) -> None:
    usage = tokens(9, 12, 21, num_search_queries=searches)
    found = cost_findings(receipt(*GPT, usage, costs=(stated,)))
    assert [each.message for each in found] == ([] if message is None else [message])


def test_unpriced_items_are_kept_with_the_billable_facts() -> None:
    billable = billable_of(answer(*GPT, tokens(9, 12, 21, num_search_queries=3)), None)
    assert decode_billable(encode_billable(billable)) == billable


def test_a_reading_of_the_counts_that_is_only_assumed_is_noted() -> None:
    found = receipt(*GPT, tokens(9, (12, {"reasoning_tokens": 5}), 26))
    assert found.notes[0] == note(
        "fits_outside_against_documents", part="reasoning_tokens", whole="completion_tokens"
    )


def test_everything_cached_leaves_no_line_of_the_rest() -> None:
    found = receipt(*GPT, tokens((8, {"cached_tokens": 8}), 0))
    assert [(line.kind, line.count) for line in found.lines] == [("cached", 8), ("completion", 0)]


# -- vendor and model ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vendor", "model", "detail"),
    [
        ("groq", "parcel-1", note("no_model_price", model="parcel-1", vendor="groq", table=TABLE)),
        ("vllm", "gpt-4o", note("no_vendor_prices", vendor="vllm", table=TABLE)),
        ("huggingface", "gpt-4o", note("no_vendor_prices", vendor="huggingface", table=TABLE)),
        (None, "parcel-1", note("no_maker", vendor=None, model="parcel-1", table=TABLE)),
        ("litellm", "parcel-1", note("no_maker", vendor="litellm", model="parcel-1", table=TABLE)),
        (
            None,
            "gemini-claude-grok",
            note("no_maker", vendor=None, model="gemini-claude-grok", table=TABLE),
        ),
        ("openai", None, None),
        ("openai", "", None),
    ],
)
def test_a_cost_is_unknown_where_no_price_is_and_says_whose(
    vendor: str | None, model: str | None, detail: CostNote | None
) -> None:
    assert why(vendor, model) == detail


def test_a_model_that_one_maker_has_is_priced_without_its_vendor_and_says_so() -> None:
    found = receipt(None, "gpt-4o-2024-08-06", FEW)
    assert (found.provider, found.total_usd) == ("openai", Decimal("0.0001425"))
    assert found.notes == (note("priced_as_at_maker", vendor=None, maker="OpenAI"),)
    passed_on = receipt("vercel-gateway", "anthropic/claude-sonnet-4-5", FEW)
    assert passed_on.provider == "anthropic"
    assert passed_on.notes == (
        note("priced_as_at_maker", vendor="vercel-gateway", maker="Anthropic"),
    )


def test_a_price_that_a_vendor_takes_over_from_the_maker_says_so() -> None:
    found = receipt("azure", "gpt-4o-2024-11-20", FEW)
    assert (found.provider, found.model) == ("azure", "gpt-4o")
    assert found.notes == (note("prices_of_maker", vendor="azure"),)
    assert receipt("azure", "gpt-4o-mini", FEW).reason is None


def test_the_model_asked_for_stands_in_where_the_answer_names_none() -> None:
    found = receipt_for(answer("openai", None, FEW), request_model="gpt-4o")
    assert found.total_usd == Decimal("0.0001425")
    assert found.notes == (note("model_of_request"),)
    answered = receipt_for(answer("openai", "gpt-5", FEW), request_model="gpt-4o")
    assert answered.model == "gpt-5" and answered.notes == ()


def test_what_the_table_lists_as_free_costs_nothing() -> None:
    found = receipt("openrouter", "agentica-org/deepcoder-14b-preview:free", FEW)
    assert found.total_usd == 0
    assert why("cerebras", "qwen-3-coder-480b") == note(
        "no_rate", kind="prompt", model="qwen-3-coder-480b", table=TABLE
    )


@pytest.mark.parametrize(
    "name", ["claude" + "x" * 5000, "claude-\x00\x1b[31m\u202e", "half \ud800"]
)
@pytest.mark.parametrize("vendor", [None, "anthropic", "openrouter"])
def test_a_hostile_model_has_no_price_and_is_kept_as_sent(vendor: str | None, name: str) -> None:
    detail = why(vendor, name)
    assert detail is not None and detail.values["model"] == name[:500]
    found = json.loads(json.dumps(receipt_as_json(receipt(vendor, name, FEW))))
    assert found["model"] == found["detail"]["values"]["model"] == name[:500]
    billable = billable_of(answer(vendor, name, FEW), None)
    assert decode_billable(encode_billable(billable)) == billable


# -- the tier --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tier", [UNSET, None, "", "default", "standard", "on_demand"])
def test_the_default_tier_has_many_words(tier: Json) -> None:
    more = {} if tier is UNSET else {"service_tier": tier}
    found = receipt("openai", "gpt-5", tokens(1_000_000, 0), **more)
    assert (found.total_usd, found.notes) == (Decimal("1.25"), ())
    assert found.tiers == ((tier,) if isinstance(tier, str) and tier else ())


def test_auto_names_no_tier_and_this_is_noted() -> None:
    found = receipt("openai", "gpt-5", FEW, service_tier="auto")
    assert found.notes == (note("tier_auto"),)


@pytest.mark.parametrize(
    ("vendor", "model", "tier"),
    [
        ("openai", "gpt-4o", "flex"),
        ("openai", "gpt-5", "scale"),
        ("openai", "gpt-5", "FLEX"),
        ("azure", "gpt-5", "priority"),
        ("groq", "llama-3.3-70b-versatile", "flex"),
        ("openai", "gpt-5", "\x00" * 500),
    ],
)
def test_a_tier_without_a_price_is_no_default(vendor: str, model: str, tier: str) -> None:
    detail = why(vendor, model, service_tier=tier)
    assert detail == note("no_tier_price", tier=tier, table=TABLE)


def test_a_tier_that_is_no_string_is_not_priced() -> None:
    sent = SentValue(NUMBER, "5")
    assert why("openai", "gpt-5", service_tier=5) == note("tier_not_a_string", sent=sent)
    assert receipt("openai", "gpt-5", FEW, service_tier=5).tiers == (sent,)


def test_a_tier_that_had_no_price_yet_is_unknown_on_that_day() -> None:
    before = AT.replace(month=10, day=1)
    assert why("openai", "gpt-5", at=before, service_tier="flex") == note(
        "no_tier_price_yet", tier="flex", table=TABLE
    )


def test_a_tier_can_stand_inside_usage() -> None:
    found = receipt("openai", "gpt-5", tokens(1_000_000, 0, service_tier="flex"))
    assert (found.tiers, found.total_usd) == (("flex",), Decimal("0.625"))


def test_a_rate_that_the_tier_lacks_is_the_default_one_and_this_is_noted() -> None:
    usage = tokens((1000, {"cached_tokens": 600}), 100, 1100)
    found = receipt("openai", "gpt-4o", usage, service_tier="batch")
    # 400 × 1.25 + 600 × 1.25 + 100 × 5
    assert found.total_usd == Decimal("0.00175")
    assert found.notes == (note("rates_of_default_tier", kinds=("cached",), table=TABLE),)


def test_a_long_prompt_is_named() -> None:
    at_the_step = receipt("gemini", "gemini-2.5-pro", tokens(200_000, 0))
    assert (at_the_step.total_usd, at_the_step.notes) == (Decimal("0.25"), ())
    beyond = receipt("gemini", "gemini-2.5-pro", tokens(200_001, 0))
    assert beyond.total_usd == Decimal("0.5000025")
    assert beyond.notes == (note("long_prompt", tokens=200_000),)


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


@pytest.mark.parametrize("costs", [("0.1", UNSET), ("0.1", None)])
def test_a_stated_cost_of_less_than_the_answer_is_not_compared(costs: tuple[Any, ...]) -> None:
    found = receipt(*GPT, FEW, costs=costs)
    some = note("stated_by_some_choices", stated=1, choices=2)
    assert (found.stated_usd, found.notes, cost_findings(found)) == (None, (some,), ())


def implausible(usd: str) -> CostNote:
    return note("stated_implausible", field="cost_usd", usd=usd)


NOT_ADDABLE = note("stated_not_addable", field="cost_usd")


@pytest.mark.parametrize(
    ("costs", "odd", "message"),
    [
        (("1e999",), NOT_ADDABLE, "The stated cost_usd is not an amount that can be added up; it is in no sum."),
        (("NaN",), NOT_ADDABLE, "The stated cost_usd is not an amount that can be added up; it is in no sum."),
        (("-1",), implausible("-1"), "The stated cost_usd of -$1 is not what a response can cost; it is in no sum."),
        (("2", "-1"), implausible("-1"), "The stated cost_usd of -$1 is not what a response can cost; it is in no sum."),
        (("1e12",), implausible("1000000000000"), "The stated cost_usd of $1000000000000 is not what a response can cost; it is in no sum."),
        (("1000.01",), implausible("1000.01"), "The stated cost_usd of $1000.01 is not what a response can cost; it is in no sum."),
        (("999", "2"), implausible("1001"), "The stated cost_usd of $1001 is not what a response can cost; it is in no sum."),
    ],
)  # fmt: skip
def test_an_impossible_cost_is_noted(costs: tuple[str, ...], odd: CostNote, message: str) -> None:
    found = receipt(*GPT, FEW, costs=costs)
    assert (found.stated_usd, found.notes, found.odd_stated) == (None, (odd,), odd)
    assert not found.is_contradicted
    [finding] = cost_findings(found)
    assert (finding.code, finding.severity) == ("cost.stated-odd", "warning")
    assert finding.message == message
    assert finding.where.pointer == "/choices/0/cost_usd"


@pytest.mark.parametrize(
    ("json_text", "sent"),
    [
        ('"0.0075"', SentValue(STRING, "0.0075")),
        ("true", SentValue(JsonType.BOOLEAN, "true")),
        ("{}", SentValue(JsonType.OBJECT)),
    ],
)
def test_what_is_sent_in_place_of_a_choices_cost_is_noted(json_text: str, sent: SentValue) -> None:
    body = WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":' + json_text.encode())
    found = receipt_for(analysis(body))
    odd = note("stated_not_an_amount", field="cost_usd", sent=sent)
    assert (found.stated_usd, found.odd_stated) == (None, odd)
    assert found.stated_at == "/choices/0/cost_usd"
    assert odd in found.notes
    [finding] = cost_findings(found)
    assert finding.code == "cost.stated-odd"
    assert finding.message == (
        f"The stated cost_usd is not an amount ({sent.type}); it is in no sum."
    )


def not_an_amount(field: str, sent: SentValue) -> CostNote:
    return note("stated_not_an_amount", field=field, sent=sent)


TRUE = SentValue(JsonType.BOOLEAN, "true")


@pytest.mark.parametrize(
    ("vendor", "usage", "odd"),
    [
        ("openrouter", {"cost": "0.5"}, not_an_amount("cost", SentValue(STRING, "0.5"))),
        ("openrouter", {"cost": True}, not_an_amount("cost", TRUE)),
        ("openrouter", {"cost": None}, None),
        ("perplexity", {"cost": {"total_cost": True}}, not_an_amount("cost/total_cost", TRUE)),
        ("perplexity", {"cost": {}}, not_an_amount("cost/total_cost", SentValue(JsonType.ABSENT))),
        ("xai", {"cost_in_usd_ticks": -1}, not_an_amount("cost_in_usd_ticks", SentValue(NUMBER, "-1"))),
        ("xai", {"cost_in_usd_ticks": "9"}, not_an_amount("cost_in_usd_ticks", SentValue(STRING, "9"))),
        (
            "xai",
            {"cost_in_usd_ticks": 2**62},
            note("stated_implausible", field="cost_in_usd_ticks", usd="461168601.8427387904"),
        ),
        ("xai", {"cost_in_usd_ticks": None}, None),
        ("groq", {"cost": "0.5"}, None),
    ],
)  # fmt: skip
def test_what_is_sent_in_place_of_a_cost_inside_usage_is_noted(
    vendor: str, usage: dict[str, Json], odd: CostNote | None
) -> None:
    found = receipt(vendor, "gpt-4o", tokens(9, 12, 21, **usage))
    assert (found.stated_usd, found.odd_stated) == (None, odd)


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
    assert found.notes == (note("stated_fee_only"),)


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
    found = receipt_as_json(receipt(*GPT, FEW, costs=("1e-7",), service_tier="default"))
    assert json.loads(json.dumps(found)) == {
        "total_usd": "0.0001425",
        "lines": [
            {"kind": "prompt", "count": 9, "rate_usd": "2.5", "per": 1000000, "amount_usd": "0.0000225", "without": [], "outside": None},
            {"kind": "completion", "count": 12, "rate_usd": "10", "per": 1000000, "amount_usd": "0.00012", "without": [], "outside": None},
        ],
        "table": "genai-prices 0.2.3",
        "provider": "openai",
        "model": "gpt-4o",
        "tiers": ["default"],
        "stated_usd": "0.0000001",
        "reason": None,
        "detail": None,
        "notes": [],
        "stated_at": "/choices/0/cost_usd",
        "odd_stated": None,
        "unpriced_items": [],
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
NAMES = st.sampled_from([place for source in CHAT_USAGE.counts.values() for place in source.places])


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
    assert (found.total_usd is None) == (found.reason is not None)
    assert found.detail is None or found.reason is not None
    assert found.total_usd is None or found.total_usd >= 0
    assert all(type(line.count) is int and line.count >= 0 for line in found.lines)
    with localcontext(prec=100):
        assert sum((line.amount_usd for line in found.lines), Decimal(0)) == (found.total_usd or 0)
    assert len(cost_findings(found)) == (found.is_contradicted or bool(found.odd_stated))
    json.dumps(receipt_as_json(found))
