"""Usage: counts flat under their wire names, parts inside their wholes, nothing made up."""

import pytest
from msgspec import UNSET

from inspector.core.completion import Usage
from inspector.core.json import Json
from inspector.core.tokens.usage import read_usage
from inspector.core.wire.exchange import Request
from tests.core.bodies import GOOD_STREAM, HELLO, STOP, USAGE, analysis, chunk, completion


def usage(**sent: Json) -> Usage:
    return read_usage(sent, "/usage")


def test_no_usage_reports_nothing() -> None:
    assert read_usage(UNSET, None) == read_usage(None, None) == Usage()
    assert Usage().prompt_tokens is UNSET


@pytest.mark.parametrize("sent", [7, "3", [1], True])
def test_usage_that_is_no_object_reports_nothing_and_is_kept(sent: Json) -> None:
    assert read_usage(sent, 3) == Usage(extras={"": sent})


def test_all_documented_counts_are_read() -> None:
    read = usage(
        prompt_tokens=1117,
        completion_tokens=46,
        total_tokens=1163,
        prompt_tokens_details={"cached_tokens": 1024, "audio_tokens": 1},
        completion_tokens_details={
            "reasoning_tokens": 20,
            "audio_tokens": 2,
            "accepted_prediction_tokens": 3,
            "rejected_prediction_tokens": 4,
        },
    )
    assert read == Usage(
        reported=True,
        found_at="/usage",
        prompt_tokens=1117,
        completion_tokens=46,
        total_tokens=1163,
        cached_tokens=1024,
        prompt_audio_tokens=1,
        reasoning_tokens=20,
        completion_audio_tokens=2,
        accepted_prediction_tokens=3,
        rejected_prediction_tokens=4,
    )


@pytest.mark.parametrize(
    ("sent", "reasoning", "extras"),
    [
        ({"reasoning_tokens": 7}, 7, {}),
        ({"completion_tokens_details": {"reasoning_tokens": 7}}, 7, {}),
        (
            {"reasoning_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 7}},
            7,
            {"/reasoning_tokens": 9},
        ),
        ({"reasoning_tokens": 9, "completion_tokens_details": None}, 9, {"/completion_tokens_details": None}),
        ({"completion_tokens_details": {"reasoning_tokens": None}}, None, {}),
        ({"completion_tokens_details": {"reasoning_tokens": 0}}, 0, {}),
        ({}, UNSET, {}),
    ],
    ids=["beside", "nested", "both: nested holds", "null details", "null", "zero", "absent"],
)  # fmt: skip
def test_reasoning_tokens_are_found_nested_or_beside_the_totals(
    sent: dict[str, Json], reasoning: object, extras: dict[str, Json]
) -> None:
    read = read_usage(sent, 0)
    assert read.reasoning_tokens is reasoning or read.reasoning_tokens == reasoning
    assert read.extras == extras


def test_counts_under_the_names_of_other_formats_are_read_where_the_usual_are_missing() -> None:
    usage = read_usage({"input_tokens": 3, "output_tokens": 2}, "/usage")
    assert (usage.prompt_tokens, usage.completion_tokens) == (3, 2)
    assert read_usage({"input_tokens": 0, "prompt_tokens": 3}, "/usage").prompt_tokens == 3


def test_cached_tokens_are_found_beside_the_totals() -> None:
    assert usage(cached_tokens=5).cached_tokens == 5


@pytest.mark.parametrize("value", ["3", True, -7, 1.0, 1e308, 2**63, [3], {"n": 3}])
def test_what_is_no_count_is_not_sent_and_kept_as_it_came(value: Json) -> None:
    read = usage(prompt_tokens=value, total_tokens=5)
    assert read.prompt_tokens is UNSET
    assert read.total_tokens == 5
    assert read.extras == {"/prompt_tokens": value}


@pytest.mark.parametrize("value", [0, 1, 2**63 - 1])
def test_counts_go_from_0_to_what_a_database_can_hold(value: int) -> None:
    assert usage(total_tokens=value).total_tokens == value


def test_everything_unknown_is_kept_by_its_pointer() -> None:
    read = usage(
        prompt_tokens=1,
        market_cost=0.5,
        prompt_tokens_details={"cached_tokens": 1, "video_tokens": 2},
        queue_time=None,
    )
    assert read.extras == {
        "/market_cost": 0.5,
        "/prompt_tokens_details/video_tokens": 2,
        "/queue_time": None,
    }


def test_an_empty_object_reports_usage_without_a_count() -> None:
    assert usage() == Usage(reported=True, found_at="/usage")


def test_counts_that_vendors_add_are_read() -> None:
    read = usage(
        prompt_cache_hit_tokens=2,
        prompt_cache_miss_tokens=0,
        prompt_tokens_details={"cache_write_tokens": 3, "text_tokens": 4, "image_tokens": 5},
        completion_tokens_details={"text_tokens": 6, "image_tokens": None},
    )
    assert (read.prompt_cache_hit_tokens, read.prompt_cache_miss_tokens) == (2, 0)
    assert (read.cache_write_tokens, read.prompt_text_tokens, read.prompt_image_tokens) == (3, 4, 5)
    assert (read.completion_text_tokens, read.completion_image_tokens) == (6, None)
    assert read.extras == {}


def costing(cost: bytes, host: str = "openrouter.ai") -> Usage:
    body = completion(HELLO, more=b'"usage":{"prompt_tokens":3,%s}' % cost)
    return analysis(body, request=Request(url=f"https://{host}/api/v1/chat/completions")).usage


def test_cost_is_decimal_text_as_the_wire_had_it() -> None:
    read = costing(b'"cost":0.00010,"cost_details":{"upstream":{"input":1e-5,"output":null}}')
    assert read.cost == "0.00010"
    assert read.cost_details == {"upstream": {"input": "1e-5", "output": None}}
    assert read.extras == {}


def test_cost_in_parts_keeps_the_spelling_of_each() -> None:
    assert costing(b'"cost":{"total_cost":0.010}').cost == {"total_cost": "0.010"}


@pytest.mark.parametrize("cost", [b'"free"', b"true", b"[0.1]"])
def test_cost_that_is_neither_number_nor_object_is_an_extra(cost: bytes) -> None:
    read = costing(b'"cost":' + cost)
    assert read.cost is UNSET
    assert list(read.extras) == ["/cost"]


@pytest.mark.parametrize("host", ["api.openai.com", "litellm.example", "workflowai.com"])
def test_a_cost_that_no_vendor_documents_is_an_extra(host: str) -> None:
    read = costing(b'"cost":0.00010,"cost_details":{"upstream":null}', host)
    assert (read.cost, read.cost_details) == (UNSET, UNSET)
    assert read.extras == {"/cost": 0.0001, "/cost_details": {"upstream": None}}
    assert costing(b'"cost":null', host).extras == {"/cost": None}


def test_a_null_cost_and_an_absent_one_are_two_things() -> None:
    assert costing(b'"cost":null').cost is None
    assert costing(b'"x":1').cost is UNSET


def test_usage_inside_the_object_of_a_vendor_holds_where_no_other_was_sent() -> None:
    beside = chunk(STOP, more=b'"x_groq":{"id":"req_1",%s}' % USAGE)
    read = analysis(beside).usage
    assert (read.total_tokens, read.found_at) == (5, 0)
    whole = analysis(completion(HELLO, more=b'"x_groq":{%s}' % USAGE)).usage
    assert (whole.total_tokens, whole.found_at) == (5, "/x_groq/usage")
    assert analysis(beside).completion["usage"]["total_tokens"] == 5


def test_usage_at_its_usual_place_holds_against_one_elsewhere() -> None:
    usual = USAGE.replace(b"5", b"6")
    beside = b'"x_groq":{%s}' % USAGE
    for more in (usual + b"," + beside, beside + b"," + usual):
        read = analysis(completion(HELLO, more=more)).usage
        assert (read.total_tokens, read.found_at) == (6, "/usage")
    assert analysis(GOOD_STREAM).usage.total_tokens == 5


def test_a_name_with_a_slash_is_no_part_of_another() -> None:
    read = read_usage({"prompt_tokens_details/cached_tokens": "x"}, "/usage")
    assert read.extras == {"/prompt_tokens_details~1cached_tokens": "x"}
