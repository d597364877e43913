"""Every note of a cost is a sentence, made of what the receipts of responses really hold."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from msgspec import UNSET

from inspector.core.json import Json
from inspector.dashboard.text.cost_note_sentences import SENTENCES, cost_note_words, tier_words
from inspector.usage.cost.notes import CostNote, CostNoteCode, JsonType, SentValue
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.receipts import CostReceipt
from inspector.usage.cost.token_kinds import TokenKind
from tests.usage.answers import AT, answer, note, receipt, receipt_for, tokens

GPT = ("openai", "gpt-4o-2024-08-06")
FEW = tokens(9, 12, 21)
RATES = {TokenKind.PROMPT: Decimal(1), TokenKind.COMPLETION: Decimal(4)}
REASONING: dict[str, Json] = {"reasoning_tokens": 320}


def gpt(usage: Json = FEW, **more: Any) -> CostReceipt:
    return receipt(*GPT, usage, **more)


def gpt_5(tier: Json, **more: Any) -> CostReceipt:
    return receipt("openai", "gpt-5", FEW, service_tier=tier, **more)


def own_price(tier: str, **top: Json) -> CostReceipt:
    override = Override(
        "gpt-5", RATES, starts=date(2026, 11, 1), tier=None if tier == "any" else tier
    )
    return receipt_for(answer("openai", "gpt-5", FEW, **top), overrides=[override])


def notes_of(found: CostReceipt) -> Iterator[CostNote]:
    if found.detail is not None:
        yield found.detail
    yield from found.notes


OF_RECEIPTS: list[tuple[str, CostReceipt, str]] = [
    ("usage_not_an_object", gpt([1]), "usage is an array, not an object"),
    ("not_a_count", gpt(tokens("12", 12)), "prompt_tokens is the string `12`, not a token count"),
    ("not_a_count", gpt(tokens(10**90, 12)),
        "prompt_tokens is an integer of more than 80 digits, not a token count"),
    ("not_a_count", gpt(tokens(True, 12)), "prompt_tokens is true, not a token count"),
    ("count_null", gpt(tokens(None, 12)), "prompt_tokens is null"),
    ("count_not_sent", gpt({"prompt_tokens": 9}), "completion_tokens was not sent"),
    ("count_too_large", gpt(tokens(2**63 - 1, 0)),
        "9,223,372,036,854,775,807 prompt tokens are more than any model handles"),
    ("part_exceeds_whole", gpt(tokens((9, {"cached_tokens": 10}), 12)),
        "10 cached tokens exceed the 9 prompt tokens that include them"),
    ("parts_exceed_whole",
        receipt("gemini", "gemini-2.5-flash",
                tokens((100, {"cached_tokens": 80, "audio_tokens": 60}), 5, 105)),
        "cached and prompt audio tokens (80 + 60) together exceed the 100 prompt tokens that include"
        " them; how many are counted as both was not sent"),
    ("cost_too_large", receipt("openai", "gpt-4o", tokens(0, 10**9 - 1)),
        "$9999.99999 is more than any response costs"),
    ("no_vendor_prices", receipt("vllm", "gpt-4o", FEW), "genai-prices 0.2.3 has no prices for vLLM"),
    ("no_model_price", receipt("groq", "parcel-1", FEW),
        "no price is known for `parcel-1` at Groq (genai-prices 0.2.3)"),
    ("no_maker", receipt(None, "parcel-1", FEW),
        "no price is known for `parcel-1`: the vendor is unknown (genai-prices 0.2.3)"),
    ("no_maker", receipt("litellm", "parcel-1", FEW),
        "no price is known for `parcel-1`: LiteLLM is a gateway (genai-prices 0.2.3)"),
    ("tiers_contradict", receipt("openai", "gpt-5", tokens(9, 12, 21, service_tier="flex"), service_tier="default"),
        "two service tiers are stated: `default` beside the choices, `flex` in usage"),
    ("tier_not_a_string", gpt_5(5), "the service tier is 5, not a string"),
    ("no_tier_price", gpt_5("scale"), "genai-prices 0.2.3 has no price for service tier `scale`"),
    ("no_tier_price_yet", gpt_5("flex", at=AT.replace(month=10, day=1)),
        "genai-prices 0.2.3 has no price for service tier `flex` on that day"),
    ("audio_priced_by_hour",
        receipt("mistral", "voxtral-small-2507", tokens((10, {"audio_tokens": 500}), 20, 530)),
        "genai-prices 0.2.3 prices audio of model `voxtral-small-24b-2507` by the hour"),
    ("no_rate", receipt("cerebras", "qwen-3-coder-480b", FEW),
        "genai-prices 0.2.3 has no rate for prompt tokens of model `qwen-3-coder-480b`"),
    ("names_disagree", gpt(tokens((9, {"cached_tokens": 4}), 12, prompt_cache_hit_tokens=5)),
        "one count has two values: cached_tokens 4, prompt_cache_hit_tokens 5"),
    ("names_disagree", gpt(tokens(9, 12, num_search_queries=3, server_tool_use={"web_search_requests": 5})),
        "one count has two values: server_tool_use/web_search_requests 5, num_search_queries 3"),
    ("counted_outside", receipt("xai", "grok-3-mini", tokens(25, (10, REASONING), 355)),
        "reasoning is counted separately from completion by xAI"),
    ("counted_outside_total", receipt("xai", "grok-3-mini", tokens(25, (10, REASONING), 35)),
        "reasoning is counted separately from completion by xAI, and not in the total"),
    ("fits_outside", receipt(None, "grok-3-mini", tokens(25, (10, REASONING), 355)),
        "reasoning is counted separately from completion: the counts only add up this way"),
    ("fits_outside_against_documents", gpt(tokens(9, (12, {"reasoning_tokens": 5}), 26)),
        "the counts only add up if reasoning is counted separately from completion"),
    ("assumed_inside", gpt(tokens(9, (12, {"reasoning_tokens": 5}))),
        "reasoning is assumed to be part of completion; the counts fit either way"),
    ("excluded", gpt(tokens(9, 12, 21, num_search_queries=3)),
        "not included in the cost: num_search_queries (3)"),
    ("paid_with_request", receipt("perplexity", "sonar", tokens(9, 12, 21, num_search_queries=3)),
        "assumed to be included in the request price: num_search_queries (3)"),
    ("model_of_request", receipt_for(answer("openai", None, FEW), request_model="gpt-4o"),
        "the response names no model; priced as the requested one"),
    ("tier_auto", gpt_5("auto"), "service tier auto names no tier; priced as the default tier"),
    ("prices_of_maker", receipt("azure", "gpt-4o-2024-11-20", FEW),
        "no separate price for Azure; the price of the model's maker applies"),
    ("priced_as_at_maker", receipt(None, "gpt-4o", FEW),
        "the vendor is unknown; priced as at OpenAI, the model's maker"),
    ("long_prompt", receipt("gemini", "gemini-2.5-pro", tokens(200_001, 0)),
        "rates for prompts over 200,000 tokens"),
    ("override_of_standard_tier", own_price("standard", service_tier="priority"),
        "the custom price from 2026-11-01 is for the standard tier and does not apply"),
    ("override_of_any_tier", own_price("any", service_tier="priority"),
        "the custom price from 2026-11-01 is for any service tier"),
    ("rate_of_whole", gpt(tokens((100, {"audio_tokens": 60}), 20)),
        "60 prompt audio tokens at the prompt rate; genai-prices 0.2.3 has no rate for them"),
    ("rates_of_default_tier",
        receipt("openai", "gpt-4o", tokens((1000, {"cached_tokens": 600}), 100, 1100), service_tier="batch"),
        "cached at the rate of the default tier; genai-prices 0.2.3 has no other"),
    ("taken_as_disjoint",
        receipt("gemini", "gemini-2.5-flash",
                tokens((100, {"cached_tokens": 30, "audio_tokens": 60}), 0, 100)),
        "cached and prompt audio are assumed to be different tokens; how many are counted as both was"
        " not sent"),
    ("stated_by_some_choices", gpt(costs=("0.1", UNSET)), "only 1 of 2 choices state cost_usd"),
    ("stated_fee_only", receipt("openrouter", "openai/gpt-4o", tokens(9, 12, 21, cost=0.0000071, is_byok=True)),
        "the stated cost is only the router's fee: the request used its own key"),
    ("stated_not_an_amount", receipt("perplexity", "sonar", tokens(9, 12, 21, cost={"total_cost": True})),
        "the stated cost/total_cost is true, not an amount"),
    ("stated_not_an_amount", receipt("perplexity", "sonar", tokens(9, 12, 21, cost={})),
        "the stated cost/total_cost is missing, not an amount"),
    ("stated_not_addable", gpt(costs=("NaN",)), "the stated cost_usd is not an amount that can be added up"),
    ("stated_implausible", gpt(costs=("-1",)), "the stated cost_usd is -$1, which no response costs"),
]  # fmt: skip
OTHERS = [
    (note("several_makers", vendor=None, model="parcel-1", makers=("OpenAI", "Groq")),
        "the vendor is unknown, and several make model `parcel-1`: OpenAI, Groq"),
    (note("last_tier_taken", tiers=("auto", "default"), tier="flex"),
        "the service tier was also stated as `auto` and `default`; priced as `flex`, stated last"),
    (note("facts_not_decoded"), "the token counts were stored by a later release"),
]  # fmt: skip


def test_every_code_has_a_sentence_that_a_test_reads() -> None:
    assert set(SENTENCES) == set(CostNoteCode)
    read = {code for code, _, _ in OF_RECEIPTS} | {each.code for each, _ in OTHERS}
    assert set(CostNoteCode) - read == set()


@pytest.mark.parametrize(("code", "found", "sentence"), OF_RECEIPTS)
def test_a_note_of_a_receipt_is_a_sentence(code: str, found: CostReceipt, sentence: str) -> None:
    assert [cost_note_words(each) for each in notes_of(found) if each.code == code] == [sentence]


@pytest.mark.parametrize(("found", "sentence"), OTHERS)
def test_a_rare_note_is_a_sentence(found: CostNote, sentence: str) -> None:
    assert cost_note_words(found) == sentence


def test_a_code_of_a_later_release_is_shown_as_it_is() -> None:
    assert cost_note_words(note("moon_phase", phase=3)) == "moon_phase"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("claude" + "x" * 5000, "`claude" + "x" * 74 + "…`"),
        ("claude-\x00\x1b[31m\u202e", "`claude-\\x00\\x1b[31m\\u202e`"),
        ("гпт-4о", "`гпт-4о`"),
        ("<script>alert(1)</script>", "`<script>alert(1)</script>`"),
        ("{model.__class__}", "`{model.__class__}`"),
        ("a\nb", "`a\\nb`"),
        ("half \ud800", "`half \\ud800`"),
        (" ", "` `"),
    ],
)
@pytest.mark.parametrize("vendor", [None, "anthropic", "openrouter"])
def test_a_hostile_name_of_a_model_is_one_short_line(
    vendor: str | None, name: str, shown: str
) -> None:
    detail = receipt(vendor, name, FEW).detail
    assert detail is not None
    sentence = cost_note_words(detail)
    assert shown in sentence
    assert len(sentence) < 220 and sentence.isprintable()


def test_service_tiers_are_named_with_or_where_either_may_apply() -> None:
    assert [tier_words(tiers) for tiers in ((), ("flex",), ("flex", "default"))] == [
        "",
        "flex",
        "flex or default",
    ]
    assert tier_words((SentValue(JsonType.OBJECT), "flex")) == "an object or flex"
