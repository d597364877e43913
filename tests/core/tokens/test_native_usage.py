"""Usage objects of formats other than chat completions: each count by its format's table."""

import pytest
from msgspec import UNSET

from inspector.core.completion import Usage
from inspector.core.formats import dialects, usage_table_of
from inspector.core.formats.anthropic import USAGE as ANTHROPIC
from inspector.core.formats.bedrock_converse import USAGE as BEDROCK_CONVERSE
from inspector.core.formats.cohere import USAGE as COHERE
from inspector.core.formats.gemini import USAGE as GEMINI
from inspector.core.formats.ollama import USAGE as OLLAMA
from inspector.core.formats.openai_responses import USAGE as RESPONSES
from inspector.core.formats.usage_table import CHAT_USAGE, UsageTable
from inspector.core.json import Json
from inspector.core.tokens.usage import is_grown, read_usage


def read(table: UsageTable, sent: dict[str, Json], at: tuple[str, ...] = ("usage",)) -> Usage:
    return read_usage(sent, "/" + "/".join(at), path=at, table=table)


def test_every_format_has_a_table_and_an_unknown_one_has_that_of_chat() -> None:
    tables = {slug: dialect.usage for slug, dialect in dialects().items()}
    assert tables["anthropic"] is ANTHROPIC
    assert tables["openai-responses"] is RESPONSES
    assert tables["gemini"] is GEMINI
    assert tables["ollama"] is OLLAMA
    assert tables["openai-chat"] is tables["openai-text"] is tables["workflowai"] is CHAT_USAGE
    assert usage_table_of(None) is usage_table_of("of-a-later-release") is CHAT_USAGE


# -- Anthropic ------------------------------------------------------------------------------------


def test_the_prompt_of_anthropic_is_what_was_new_written_to_the_cache_and_read_from_it() -> None:
    sent = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 2048,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 1024, "ephemeral_1h_input_tokens": 1024},
        "output_tokens": 12,
        "output_tokens_details": {"thinking_tokens": 7},
        "service_tier": "standard",
    }
    assert read(ANTHROPIC, sent) == Usage(
        reported=True,
        found_at="/usage",
        prompt_tokens=2051,
        completion_tokens=12,
        cached_tokens=0,
        cache_write_tokens=2048,
        cache_write_5m_tokens=1024,
        cache_write_1h_tokens=1024,
        reasoning_tokens=7,
        places={
            "completion_tokens": "/output_tokens",
            "cached_tokens": "/cache_read_input_tokens",
            "cache_write_tokens": "/cache_creation_input_tokens",
            "cache_write_5m_tokens": "/cache_creation/ephemeral_5m_input_tokens",
            "cache_write_1h_tokens": "/cache_creation/ephemeral_1h_input_tokens",
            "reasoning_tokens": "/output_tokens_details/thinking_tokens",
        },
        sums={
            "prompt_tokens": {
                "/input_tokens": 3,
                "/cache_creation_input_tokens": 2048,
                "/cache_read_input_tokens": 0,
            }
        },
        extras={"/service_tier": "standard"},
    )


def test_a_prompt_that_one_place_tells_is_no_sum() -> None:
    found = read(ANTHROPIC, {"input_tokens": 3, "output_tokens": 12})
    assert (found.prompt_tokens, found.sums) == (3, {})
    assert found.places == {"prompt_tokens": "/input_tokens", "completion_tokens": "/output_tokens"}


def test_anthropic_tells_no_total() -> None:
    found = read(ANTHROPIC, {"input_tokens": 3, "output_tokens": 12})
    assert found.total_tokens is UNSET


def test_a_prompt_without_its_needed_part_is_unknown() -> None:
    found = read(ANTHROPIC, {"cache_read_input_tokens": 5, "output_tokens": 12})
    assert found.prompt_tokens is UNSET
    assert found.cached_tokens == 5
    assert found.extras == {}


def test_a_null_in_place_of_the_needed_part_is_a_null() -> None:
    found = read(ANTHROPIC, {"input_tokens": None, "cache_read_input_tokens": 5})
    assert found.prompt_tokens is None
    assert found.places["prompt_tokens"] == "/input_tokens"


def test_a_null_beside_the_needed_part_adds_nothing() -> None:
    sent = {
        "input_tokens": 3,
        "cache_creation_input_tokens": None,
        "cache_read_input_tokens": 5,
        "cache_creation": None,
    }
    found = read(ANTHROPIC, sent)
    assert found.sums == {"prompt_tokens": {"/input_tokens": 3, "/cache_read_input_tokens": 5}}
    assert found.prompt_tokens == 8
    assert found.cache_write_tokens is None
    assert found.cache_write_5m_tokens is UNSET
    assert found.extras == {"/cache_creation": None}


def test_a_zero_is_a_count() -> None:
    found = read(ANTHROPIC, {"input_tokens": 0, "output_tokens": 0})
    assert (found.prompt_tokens, found.completion_tokens) == (0, 0)


@pytest.mark.parametrize("value", ["3", True, -7, 1.5, [3], {"n": 3}, 2**63])
def test_a_sum_with_something_that_is_no_count_is_unknown(value: Json) -> None:
    found = read(ANTHROPIC, {"input_tokens": 3, "cache_read_input_tokens": value})
    assert found.prompt_tokens is UNSET
    assert found.cached_tokens is UNSET
    assert found.places["prompt_tokens"] == "/cache_read_input_tokens"
    assert found.extras == {"/input_tokens": 3, "/cache_read_input_tokens": value}


def test_a_sum_larger_than_a_database_can_hold_is_unknown_and_its_parts_are_kept() -> None:
    found = read(ANTHROPIC, {"input_tokens": 2**63 - 1, "cache_read_input_tokens": 1})
    assert found.prompt_tokens is UNSET
    assert found.cached_tokens == 1
    assert found.extras == {"/input_tokens": 2**63 - 1}


def test_members_that_no_count_is_of_are_extras() -> None:
    sent = {
        "input_tokens": 3,
        "total_tokens": 15,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1d_input_tokens": 4},
        "server_tool_use": {"web_search_requests": 1},
    }
    assert read(ANTHROPIC, sent).extras == {
        "/total_tokens": 15,
        "/cache_creation/ephemeral_1d_input_tokens": 4,
        "/server_tool_use": {"web_search_requests": 1},
    }


# -- Responses ------------------------------------------------------------------------------------


def test_responses_count_what_was_cached_and_reasoned_inside() -> None:
    sent = {
        "input_tokens": 80,
        "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 16},
        "total_tokens": 100,
    }
    found = read(RESPONSES, sent, ("response", "usage"))
    assert (found.prompt_tokens, found.completion_tokens, found.total_tokens) == (80, 20, 100)
    assert (found.cached_tokens, found.cache_write_tokens, found.reasoning_tokens) == (64, 0, 16)
    assert (found.pointer, found.sums, found.extras) == ("/response/usage", {}, {})
    assert found.places == {
        "prompt_tokens": "/input_tokens",
        "completion_tokens": "/output_tokens",
        "cached_tokens": "/input_tokens_details/cached_tokens",
        "cache_write_tokens": "/input_tokens_details/cache_write_tokens",
        "reasoning_tokens": "/output_tokens_details/reasoning_tokens",
    }


# -- Gemini ---------------------------------------------------------------------------------------


def test_gemini_adds_tool_use_to_the_prompt_and_thoughts_to_the_completion() -> None:
    sent = {
        "promptTokenCount": 10,
        "toolUsePromptTokenCount": 600,
        "cachedContentTokenCount": 8,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 30,
        "totalTokenCount": 645,
        "serviceTier": "standard",
    }
    found = read(GEMINI, sent, ("usageMetadata",))
    assert (found.prompt_tokens, found.completion_tokens, found.total_tokens) == (610, 35, 645)
    assert (found.cached_tokens, found.reasoning_tokens) == (8, 30)
    assert found.sums == {
        "prompt_tokens": {"/promptTokenCount": 10, "/toolUsePromptTokenCount": 600},
        "completion_tokens": {"/candidatesTokenCount": 5, "/thoughtsTokenCount": 30},
    }
    assert found.extras == {"/serviceTier": "standard"}


@pytest.mark.parametrize(
    ("sent", "completion"),
    [
        ({"candidatesTokenCount": 5}, 5),
        ({"thoughtsTokenCount": 30}, 30),
        ({"candidatesTokenCount": None, "thoughtsTokenCount": 30}, 30),
        ({"candidatesTokenCount": None}, None),
        ({"candidatesTokenCount": 0}, 0),
        ({}, UNSET),
    ],
)
def test_gemini_completes_with_whatever_it_sent(sent: dict[str, Json], completion: object) -> None:
    found = read(GEMINI, {"promptTokenCount": 1, **sent})
    assert found.completion_tokens is completion or found.completion_tokens == completion
    assert found.sums == {}


def test_gemini_tells_counts_by_modality_in_lists() -> None:
    sent = {
        "promptTokenCount": 300,
        "promptTokensDetails": [
            {"modality": "TEXT", "tokenCount": 20},
            {"modality": "IMAGE", "tokenCount": 258},
            {"modality": "DOCUMENT", "tokenCount": 22},
        ],
        "toolUsePromptTokensDetails": [{"modality": "TEXT", "tokenCount": 4}],
        "candidatesTokensDetails": [{"modality": 1, "tokenCount": 7}],
    }
    found = read(GEMINI, sent)
    assert (found.prompt_text_tokens, found.prompt_image_tokens) == (24, 280)
    assert found.completion_text_tokens == 7
    assert found.prompt_audio_tokens is UNSET
    assert found.sums == {
        "prompt_text_tokens": {
            "/promptTokensDetails/0/tokenCount": 20,
            "/toolUsePromptTokensDetails/0/tokenCount": 4,
        },
        "prompt_image_tokens": {
            "/promptTokensDetails/1/tokenCount": 258,
            "/promptTokensDetails/2/tokenCount": 22,
        },
    }
    assert found.places["completion_text_tokens"] == "/candidatesTokensDetails/0/tokenCount"
    assert found.extras == {}


def test_of_two_items_of_one_modality_the_first_counts_and_all_else_is_kept() -> None:
    sent = {
        "promptTokenCount": 9,
        "promptTokensDetails": [
            {"modality": "TEXT", "tokenCount": 2, "note": "first"},
            {"modality": "TEXT", "tokenCount": 3},
            {"modality": "SMELL", "tokenCount": 4},
            {"modality": True, "tokenCount": 5},
            7,
        ],
    }
    found = read(GEMINI, sent)
    assert found.prompt_text_tokens == 2
    assert found.extras == {
        "/promptTokensDetails/0/note": "first",
        "/promptTokensDetails/1": {"modality": "TEXT", "tokenCount": 3},
        "/promptTokensDetails/2": {"modality": "SMELL", "tokenCount": 4},
        "/promptTokensDetails/3": {"modality": True, "tokenCount": 5},
        "/promptTokensDetails/4": 7,
    }


def test_a_text_in_place_of_a_count_of_a_modality_is_kept() -> None:
    sent = {"promptTokensDetails": [{"modality": "AUDIO", "tokenCount": "3"}]}
    found = read(GEMINI, sent)
    assert found.prompt_audio_tokens is UNSET
    assert found.places == {"prompt_audio_tokens": "/promptTokensDetails/0/tokenCount"}
    assert found.extras == {"/promptTokensDetails/0/tokenCount": "3"}


@pytest.mark.parametrize("details", [None, "none", 7, {"modality": "TEXT", "tokenCount": 1}])
def test_details_that_are_no_list_tell_no_count(details: Json) -> None:
    found = read(GEMINI, {"promptTokenCount": 1, "promptTokensDetails": details})
    assert found.prompt_text_tokens is UNSET
    assert found.extras == {"/promptTokensDetails": details}


# -- Ollama, Bedrock, Cohere ----------------------------------------------------------------------


def test_counts_of_ollama_stand_beside_its_message() -> None:
    found = read(OLLAMA, {"prompt_eval_count": 21, "eval_count": 9}, ())
    assert (found.prompt_tokens, found.completion_tokens, found.pointer) == (21, 9, "")
    assert found.places == {
        "prompt_tokens": "/prompt_eval_count",
        "completion_tokens": "/eval_count",
    }


def test_the_prompt_that_ollama_had_cached_is_unknown() -> None:
    assert read(OLLAMA, {"eval_count": 9}, ()).prompt_tokens is UNSET


def test_the_prompt_of_bedrock_includes_what_was_cached() -> None:
    sent = {
        "inputTokens": 4,
        "cacheReadInputTokens": 1700,
        "cacheWriteInputTokens": 30,
        "cacheDetails": [{"ttl": "1h", "inputTokens": 10}, {"ttl": "5m", "inputTokens": 20}],
        "outputTokens": 6,
        "totalTokens": 1740,
    }
    found = read(BEDROCK_CONVERSE, sent)
    assert (found.prompt_tokens, found.completion_tokens, found.total_tokens) == (1734, 6, 1740)
    assert (found.cached_tokens, found.cache_write_tokens) == (1700, 30)
    assert (found.cache_write_5m_tokens, found.cache_write_1h_tokens) == (20, 10)
    assert found.extras == {}


def test_cohere_tells_what_it_read_apart_from_what_it_bills() -> None:
    sent = {
        "billed_units": {"input_tokens": 5, "output_tokens": 9},
        "tokens": {"input_tokens": 71, "output_tokens": 9},
    }
    found = read(COHERE, sent)
    assert (found.prompt_tokens, found.completion_tokens) == (71, 9)
    assert found.extras == {"/billed_units": {"input_tokens": 5, "output_tokens": 9}}


# -- states of one answer -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "before", "after", "is_later"),
    [
        (ANTHROPIC, {"input_tokens": 3, "output_tokens": 1}, {"input_tokens": 3, "output_tokens": 9}, True),
        (ANTHROPIC, {"input_tokens": 3, "output_tokens": 1}, {"output_tokens": 9}, False),
        (ANTHROPIC, {"output_tokens": 9}, {"output_tokens": 1}, False),
        (GEMINI, {"promptTokenCount": 2}, {"promptTokenCount": 2, "thoughtsTokenCount": 4}, True),
        (GEMINI, {"thoughtsTokenCount": 4}, {"thoughtsTokenCount": "5"}, False),
    ],
)  # fmt: skip
def test_a_later_state_of_usage_has_no_smaller_count(
    table: UsageTable, before: Json, after: Json, is_later: bool
) -> None:
    assert is_grown(before, after, table) is is_later
