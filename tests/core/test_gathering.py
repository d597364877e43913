"""Fields that no document defines, kept over all chunks."""

from __future__ import annotations

import pytest

from inspector.core.completion import Json
from inspector.core.gathering import gather, settled
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
        gather(into, "x", value)
    assert settled(into) == {"x": kept}
    assert type(settled(into)["x"]) is type(kept)


def test_what_was_gathered_can_be_settled_again_after_more_came() -> None:
    into: dict[str, Json] = {}
    gather(into, "x", ["a"])
    gather(into, "y", {"z": ["a"]})
    early = settled(into)
    gather(into, "x", ["b"])
    gather(into, "y", {"z": ["b"]})
    assert early == {"x": ["a"], "y": {"z": ["a"]}}
    assert settled(into) == {"x": ["a", "b"], "y": {"z": ["a", "b"]}}


def test_reasoning_details_of_every_delta_are_kept() -> None:
    deltas = (
        b'"reasoning_details":[{"type":"reasoning.text","text":"Hm"}]',
        b'"reasoning_details":[{"type":"reasoning.text","text":"m."}]',
    )
    result = analysis(chat_stream(ROLE, *map(delta, deltas), STOP))
    kept = result.choices[0].extras["/message/reasoning_details"]
    assert [item["text"] for item in kept] == ["Hm", "m."]
