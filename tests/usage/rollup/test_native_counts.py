"""Counts that an answer in a native format gives to the sums: the same as of chat completions."""

import pytest

from inspector.core.formats.anthropic import USAGE as ANTHROPIC
from inspector.core.formats.gemini import USAGE as GEMINI
from inspector.core.formats.ollama import USAGE as OLLAMA
from inspector.core.formats.openai_responses import USAGE as RESPONSES
from inspector.core.formats.usage_table import CHAT_USAGE, UsageTable
from inspector.core.json import Json
from inspector.core.tokens.ledger import UsageLedger
from inspector.core.tokens.usage import TOO_MANY_TOKENS, read_usage
from inspector.usage.measures import Measure, Measures
from inspector.usage.rollup.contribution import token_measures


def given(table: UsageTable, sent: dict[str, Json]) -> Measures:
    usage = read_usage(sent, "/usage", table=table)
    return dict(token_measures(usage, UsageLedger(usage, (), None, table)))


@pytest.mark.parametrize(
    ("table", "sent"),
    [
        (
            CHAT_USAGE,
            {
                "prompt_tokens": 10,
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens": 7,
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
        ),
        (
            ANTHROPIC,
            {
                "input_tokens": 6,
                "cache_read_input_tokens": 4,
                "output_tokens": 7,
                "output_tokens_details": {"thinking_tokens": 5},
            },
        ),
        (
            RESPONSES,
            {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 4},
                "output_tokens": 7,
                "output_tokens_details": {"reasoning_tokens": 5},
            },
        ),
        (
            GEMINI,
            {
                "promptTokenCount": 8,
                "toolUsePromptTokenCount": 2,
                "cachedContentTokenCount": 4,
                "candidatesTokenCount": 2,
                "thoughtsTokenCount": 5,
            },
        ),
    ],
)
def test_one_answer_has_one_sum_in_every_format(table: UsageTable, sent: dict[str, Json]) -> None:
    assert given(table, sent) == {
        (Measure.TOKENS, "prompt_tokens"): 10,
        (Measure.TOKENS, "completion_tokens"): 7,
        (Measure.TOKENS, "cached_tokens"): 4,
        (Measure.TOKENS, "reasoning_tokens"): 5,
    }


def test_what_was_not_sent_is_in_no_sum() -> None:
    assert given(OLLAMA, {"eval_count": 9}) == {(Measure.TOKENS, "completion_tokens"): 9}


def test_a_sum_that_no_model_reaches_distorts_no_month() -> None:
    sent = {"input_tokens": 1, "cache_read_input_tokens": TOO_MANY_TOKENS, "output_tokens": 2}
    assert given(ANTHROPIC, sent) == {
        (Measure.TOO_LARGE, "prompt_tokens"): None,
        (Measure.TOKENS, "completion_tokens"): 2,
        (Measure.TOO_LARGE, "cached_tokens"): None,
    }


def test_more_cached_than_prompted_is_one_of_the_contradicting() -> None:
    found = given(GEMINI, {"promptTokenCount": 10, "cachedContentTokenCount": 11})
    assert found[Measure.CONTRADICTING, "cached_tokens"] is None
