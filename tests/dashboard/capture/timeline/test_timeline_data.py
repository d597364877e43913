import json
from functools import partial

import msgspec
from pytest import MonkeyPatch

from inspector.dashboard.capture.timeline import timeline_data as timeline_drawing
from inspector.dashboard.capture.timeline.timeline_data import (
    TimelineData,
    build_timeline_data,
    snapshot_deltas,
)
from inspector.dashboard.capture.timeline.views import text_href
from inspector.formatting.lanes import LaneTexts
from tests.dashboard.capture.block_samples import choice, streamed_blocks, text
from tests.dashboard.capture.samples import DONE, ID, TWO_CHOICES, call, chunk, delta, streamed


def drawn(*reads: tuple[int | None, str]) -> TimelineData:
    view = streamed(*reads)
    assert view.analysis is not None and view.tape is not None
    return build_timeline_data(view.analysis, view.tape)


def test_lanes_carry_their_names_and_texts() -> None:
    shown = drawn(*TWO_CHOICES)
    assert [(lane.choice, lane.name, lane.text) for lane in shown.lanes] == [
        (0, "content", "Ship from Rotterdam."),
        (1, "content", "Ship from Leipzig."),
    ]
    assert [(each.reason, each.ordinary) for each in shown.finishes] == [
        ("stop", True), ("length", False),
    ]  # fmt: skip


def test_a_call_is_named_after_its_function() -> None:
    reads = [(100, chunk(delta(0, **call("{}", name="book")))), (200, DONE)]
    (lane,) = drawn(*reads).lanes
    assert (lane.name, lane.text) == ("book", "{}")


def test_first_times_that_nobody_knows_are_left_out() -> None:
    assert [first[0] for first in drawn(*TWO_CHOICES).firsts] == [
        "byte", "event", "chunk", "content",
    ]  # fmt: skip
    assert drawn((None, chunk(delta(content="x")))).firsts == []


def test_half_a_surrogate_pair_does_not_stop_the_drawing() -> None:
    shown = drawn((100, chunk(delta(content="\ud800x")) + chunk(delta(0, "\udfff")) + DONE))
    (lane,) = json.loads(msgspec.json.encode(shown))["lanes"]
    assert lane["text"] == "\ufffdx"


def test_a_snapshot_is_told_by_what_it_says_anew() -> None:
    found = snapshot_deltas(
        ["{}", '{"a":"\N{GRINNING FACE}"}', '{"a":"\N{GRINNING FACE}","b":1}', "{}"]
    )
    assert found == [
        (0, "{}"), (1, '"a":"\N{GRINNING FACE}"}'), (9, ',"b":1}'), (1, "}"),
    ]  # fmt: skip


def test_a_text_over_the_limit_stays_behind_and_says_where_it_is(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(timeline_drawing, "MAX_TEXT", 19)
    view = streamed(*TWO_CHOICES)
    assert view.analysis is not None and view.tape is not None
    shown = build_timeline_data(
        view.analysis, view.tape, {}, lambda _, lane: f"/{lane.choice}/{lane.kind}.txt"
    )
    assert [(lane.text, lane.href) for lane in shown.lanes] == [
        (None, "/0/content.txt"), ("Ship from Leipzig.", None),
    ]  # fmt: skip


def test_all_texts_together_have_a_limit(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(timeline_drawing, "MAX_TEXTS", 30)
    assert [lane.text for lane in drawn(*TWO_CHOICES).lanes] == ["Ship from Rotterdam.", None]


def test_each_of_several_texts_has_its_own_name_text_and_place(monkeypatch: MonkeyPatch) -> None:
    view = streamed_blocks(choice(text("Let me look at it."), text("Rain.")))
    assert view.analysis is not None and view.tape is not None
    monkeypatch.setattr(timeline_drawing, "MAX_TEXT", 10)
    shown = build_timeline_data(
        view.analysis, view.tape, {}, partial(text_href, ID, LaneTexts(view.analysis))
    )
    assert [(lane.name, lane.text, lane.href) for lane in shown.lanes] == [
        ("text 1", None, f"/captures/{ID}/choices/0/block-0.txt"), ("text 2", "Rain.", None),
    ]  # fmt: skip
