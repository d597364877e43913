"""Fields that no document defines, kept over all chunks."""

import pytest

from inspector.core.fold.merge_unknown import merge_field, merged_value
from inspector.core.json import Json
from tests.core.bodies import ROLE, STOP, analysis, chat_stream, delta


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ([1, 2], 2),
        ([None], None),
        ([1, None], 1),
        ([None, 1], 1),
        (["a", "b", "a"], "aba"),
        (["final", "final"], "final"),
        ([[1], [2]], [1, 2]),
        ([{"a": 1}, {"b": 2}], {"a": 1, "b": 2}),
        ([{"a": {"b": [1], "c": "x"}}, {"a": {"b": [2], "c": "y"}}], {"a": {"b": [1, 2], "c": "xy"}}),
        (["a", 7], 7),
        ([7, "a"], "a"),
        (["\ud83d", "\ude00"], "\U0001f600"),
        (["a", ["b"]], ["b"]),
        ([{"a": 1}, "x", {"b": 2}], {"b": 2}),
    ],
)  # fmt: skip
def test_values_of_one_name_are_gathered_by_their_kind(sent: list[Json], kept: Json) -> None:
    into: dict[str, Json] = {}
    for value in sent:
        merge_field(into, "x", value)
    assert merged_value(into) == {"x": kept}
    assert type(merged_value(into)["x"]) is type(kept)


def test_what_was_gathered_can_be_settled_again_after_more_came() -> None:
    into: dict[str, Json] = {}
    merge_field(into, "x", ["a"])
    merge_field(into, "y", {"z": ["a"]})
    early = merged_value(into)
    merge_field(into, "x", ["b"])
    merge_field(into, "y", {"z": ["b"]})
    assert early == {"x": ["a"], "y": {"z": ["a"]}}
    assert merged_value(into) == {"x": ["a", "b"], "y": {"z": ["a", "b"]}}


def message(*fields: bytes) -> dict[str, Json]:
    """The message of a stream with these fields in one delta each."""
    result = analysis(chat_stream(ROLE, *map(delta, fields), STOP))
    kept: dict[str, Json] = result.completion["choices"][0]["message"]
    return kept


def test_a_label_that_is_said_again_does_not_grow() -> None:
    said = (b'"channel":"analysis"', b'"channel":"analysis"', b'"channel":"final"')
    assert message(*said)["channel"] == "final"


def test_reasoning_details_of_one_type_and_index_are_pieces_of_one() -> None:
    kept = message(
        b'"reasoning_details":[{"type":"reasoning.text","text":"Hm","index":0,"signature":null}]',
        b'"reasoning_details":[{"type":"reasoning.text","text":"m.","index":0,"signature":null}]',
        b'"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"c2ln"}]',
        b'"reasoning_details":[{"type":"reasoning.encrypted","data":"YQ==","index":0}]',
        b'"reasoning_details":[{"type":"reasoning.text","text":"So","index":1}]',
    )
    assert kept["reasoning_details"] == [
        {"type": "reasoning.text", "text": "Hmm.", "index": 0, "signature": "c2ln"},
        {"type": "reasoning.encrypted", "data": "YQ==", "index": 0},
        {"type": "reasoning.text", "text": "So", "index": 1},
    ]


def test_reasoning_details_of_two_ids_are_two() -> None:
    kept = message(
        b'"reasoning_details":[{"type":"reasoning.encrypted","data":"YQ==","index":0,"id":"rs_1"}]',
        b'"reasoning_details":[{"type":"reasoning.encrypted","data":"Yg==","index":0,"id":"rs_2"}]',
    )
    assert [item["data"] for item in kept["reasoning_details"]] == ["YQ==", "Yg=="]


def test_without_an_index_adjoining_reasoning_details_are_pieces_of_one() -> None:
    kept = message(
        b'"reasoning_details":[{"type":"reasoning.text","text":"Hm"}]',
        b'"reasoning_details":[{"type":"reasoning.text","text":"m."},7]',
        b'"reasoning_details":[{"type":"reasoning.text","text":"So"}]',
    )
    assert kept["reasoning_details"] == [
        {"type": "reasoning.text", "text": "Hmm."},
        7,
        {"type": "reasoning.text", "text": "So"},
    ]


def test_a_tool_that_the_provider_ran_is_told_once_with_its_result() -> None:
    ran = b'"executed_tools":[{"index":0,"type":"search","arguments":"{}"%s}]'
    kept = message(ran % b"", ran % b',"output":"Basel: rain"')
    assert kept["executed_tools"] == [
        {"index": 0, "type": "search", "arguments": "{}", "output": "Basel: rain"}
    ]


def test_annotations_of_all_deltas_stand_in_one_list() -> None:
    kept = message(b'"annotations":[{"type":"url_citation"}]', b'"annotations":[{"type":"note"}]')
    assert kept["annotations"] == [{"type": "url_citation"}, {"type": "note"}]


def test_content_parts_and_text_in_turns_are_what_a_whole_answer_would_hold() -> None:
    thought = b'"content":[{"type":"thinking","thinking":[{"type":"text","text":"%s"}]%s}]'
    kept = message(
        thought % (b"Hm", b""),
        thought % (b"m.", b',"closed":true'),
        thought % (b"Again.", b""),
        b'"content":"Ye"',
        b'"content":"s"',
        b'"content":[{"type":"text","text":", so"}]',
        b'"content":"."',
    )
    assert kept["content"] == [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hmm."}], "closed": True},
        {"type": "thinking", "thinking": [{"type": "text", "text": "Again."}]},
        {"type": "text", "text": "Yes, so."},
    ]
