"""The rules about usage on usage objects of native formats."""

import msgspec
import pytest

from inspector.core.findings import Where
from inspector.core.formats import dialects
from inspector.core.json import Json
from inspector.core.rule_context import RuleContext
from inspector.core.rules import usage as rules
from inspector.core.rules.rule import Remark
from inspector.core.tokens.ledger import UsageLedger
from inspector.core.tokens.usage import read_usage
from tests.core.bodies import GOOD, reading

PLACES = {"anthropic": ("usage",), "openai-responses": ("usage",), "gemini": ("usageMetadata",)}


def context(slug: str, sent: Json, event: int | None = None) -> RuleContext:
    """An answer with content, as if it came in this format with this usage."""
    dialect = dialects()[slug]
    path = PLACES.get(slug, ())
    found_at = "/".join(("", *path)) if event is None else event
    usage = read_usage(sent, found_at, path=path, table=dialect.usage)
    ledger = UsageLedger(usage, (), None, dialect.usage)
    facts = reading(GOOD)._finished().facts
    return msgspec.structs.replace(facts, dialect=dialect, usage=usage, ledger=ledger)


def remarks(check: object, slug: str, sent: Json, event: int | None = None) -> list[Remark]:
    assert callable(check)
    return list(check(context(slug, sent, event)))


# -- not a count ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slug", "sent", "message", "pointer"),
    [
        (
            "anthropic",
            {"input_tokens": 3, "cache_read_input_tokens": -1},
            "cache_read_input_tokens is -1, which is not a count.",
            "/usage/cache_read_input_tokens",
        ),
        (
            "anthropic",
            {"cache_creation": {"ephemeral_1h_input_tokens": "20"}},
            'cache_creation/ephemeral_1h_input_tokens is "20", which is not a count.',
            "/usage/cache_creation/ephemeral_1h_input_tokens",
        ),
        (
            "gemini",
            {"promptTokensDetails": [{"modality": "TEXT", "tokenCount": 1.5}]},
            "promptTokensDetails/0/tokenCount is 1.5, which is not a count.",
            "/usageMetadata/promptTokensDetails/0/tokenCount",
        ),
        ("gemini", 7, "usageMetadata is 7, which is not a count.", "/usageMetadata"),
        ("ollama", {"eval_count": "9"}, 'eval_count is "9", which is not a count.', "/eval_count"),
    ],
)
def test_what_is_no_count_is_named_as_is(slug: str, sent: Json, message: str, pointer: str) -> None:
    ((said, where),) = remarks(rules.not_a_count, slug, sent)
    assert (said, where) == (message, Where(pointer=pointer))


@pytest.mark.parametrize(
    ("slug", "sent"),
    [
        ("anthropic", {"input_tokens": 3, "cache_read_input_tokens": None}),
        ("anthropic", {"input_tokens": 3, "prompt_tokens": "3", "service_tier": "standard"}),
        ("gemini", {"promptTokenCount": 3, "trafficType": "ON_DEMAND"}),
        ("gemini", {"promptTokensDetails": [{"modality": "SMELL", "tokenCount": "3"}]}),
    ],
)
def test_other_members_are_none_that_should_be_counts(slug: str, sent: Json) -> None:
    assert remarks(rules.not_a_count, slug, sent) == []


# -- missing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slug", "sent", "messages"),
    [
        ("anthropic", {"input_tokens": 3}, ["usage has no output_tokens."]),
        ("anthropic", {"input_tokens": None, "output_tokens": 1}, ["input_tokens is null."]),
        ("anthropic", {"input_tokens": 3, "output_tokens": 0}, []),
        ("anthropic", {"input_tokens": "3", "output_tokens": 0}, []),
        ("openai-responses", {"input_tokens": 3, "output_tokens": 1}, ["usage has no total_tokens."]),
        ("gemini", {"promptTokenCount": 3}, []),
        ("ollama", {"eval_count": 9}, []),
    ],
)  # fmt: skip
def test_a_count_is_missing_if_always_sent(slug: str, sent: Json, messages: list[str]) -> None:
    assert [said for said, _ in remarks(rules.count_missing, slug, sent)] == messages


# -- sums -----------------------------------------------------------------------------------------


def test_a_total_that_contradicts_its_parts_is_told_with_what_was_added() -> None:
    sent = {
        "promptTokenCount": 17,
        "candidatesTokenCount": 492,
        "thoughtsTokenCount": 1209,
        "totalTokenCount": 61,
    }
    assert remarks(rules.total_mismatch, "gemini", sent, event=4) == [
        (
            "17 prompt + 1,701 completion = 61 total does not hold: 1,657 more than total."
            " completion is 492 candidatesTokenCount + 1,209 thoughtsTokenCount.",
            Where(event=4, pointer="/usageMetadata/totalTokenCount"),
        )
    ]


@pytest.mark.parametrize(
    ("slug", "sent"),
    [
        ("gemini", {"promptTokenCount": 17, "candidatesTokenCount": 2, "thoughtsTokenCount": 5, "toolUsePromptTokenCount": 6, "totalTokenCount": 30}),
        ("gemini", {"candidatesTokenCount": 2, "totalTokenCount": 30}),
        ("anthropic", {"input_tokens": 3, "cache_read_input_tokens": 9, "output_tokens": 1}),
        ("openai-responses", {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4}),
    ],
)  # fmt: skip
def test_totals_that_hold_or_were_not_sent_are_no_finding(slug: str, sent: Json) -> None:
    assert remarks(rules.total_mismatch, slug, sent) == []


def test_more_cached_than_prompted_is_told_at_the_prompt() -> None:
    sent = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 11}}
    assert remarks(rules.part_exceeds_whole, "openai-responses", sent) == [
        (
            "11 cached ≤ 10 prompt does not hold: 1 more than prompt.",
            Where(pointer="/usage/input_tokens"),
        )
    ]


def test_what_anthropic_read_from_the_cache_is_always_in_its_prompt() -> None:
    sent = {"input_tokens": 0, "cache_read_input_tokens": 9, "output_tokens": 1}
    assert remarks(rules.part_exceeds_whole, "anthropic", sent) == []


def test_writes_to_the_cache_that_do_not_add_up_are_told() -> None:
    sent = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 30,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 10},
        "output_tokens": 1,
    }
    ((said, where),) = remarks(rules.parts_mismatch, "anthropic", sent)
    assert said.endswith("does not hold: 10 less than cache write.")
    assert where == Where(pointer="/usage/cache_creation_input_tokens")


# -- sizes ----------------------------------------------------------------------------------------


def test_a_count_that_no_model_reaches_is_named_as_it_was_sent() -> None:
    sent = {"promptTokenCount": 3, "candidatesTokenCount": 10**9}
    assert remarks(rules.count_too_large, "gemini", sent) == [
        (
            "candidatesTokenCount is 1,000,000,000: no model uses so many tokens.",
            Where(pointer="/usageMetadata/candidatesTokenCount"),
        )
    ]


def test_a_sum_that_no_model_reaches_is_told_at_the_usage_object() -> None:
    sent = {"input_tokens": 3, "cache_creation_input_tokens": 10**9, "output_tokens": 1}
    assert remarks(rules.count_too_large, "anthropic", sent) == [
        ("prompt_tokens is 1,000,000,003: no model uses so many tokens.", Where(pointer="/usage")),
        (
            "cache_creation_input_tokens is 1,000,000,000: no model uses so many tokens.",
            Where(pointer="/usage/cache_creation_input_tokens"),
        ),
    ]


def test_content_without_a_counted_token_is_told_by_the_formats_name() -> None:
    assert remarks(rules.completion_not_counted, "anthropic", {"output_tokens": 0}) == [
        ("output_tokens is 0, but the answer has content.", Where(pointer="/usage/output_tokens"))
    ]
    assert remarks(rules.completion_not_counted, "anthropic", {"output_tokens": 1}) == []
