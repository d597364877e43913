"""A lane is called by its kind, or by the number of its block where a kind has several."""

import msgspec

from inspector.core.completion import Block, BlockKind, Choice, ToolCall
from inspector.core.tape import Lane, LaneKind
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.formatting.lanes import LaneTexts
from tests.dashboard.capture.block_samples import (
    call,
    called,
    choice,
    streamed_blocks,
    text,
    thought,
)
from tests.dashboard.capture.samples import TWO_CHOICES, analysis, streamed


def lanes(view: CaptureView) -> list[tuple[str, str | None]]:
    assert view.analysis is not None and view.tape is not None
    texts = LaneTexts(view.analysis)
    every = enumerate(view.tape.lanes)
    return [(texts.name(number, lane), texts.text(number, lane)) for number, lane in every]


def test_texts_around_a_call_are_counted() -> None:
    calls = (called("get_weather", '{"city":"Bergen"}'),)
    said = choice(
        thought("Weather first."), text("Let me look."), call(), text("Rain."), calls=calls
    )
    assert lanes(streamed_blocks(said)) == [
        ("reasoning", "Weather first."),
        ("text 1", "Let me look."),
        ("get_weather", '{"city":"Bergen"}'),
        ("text 2", "Rain."),
    ]


def test_several_calls_of_one_tool_are_counted() -> None:
    calls = [ToolCall(index=n, name=name) for n, name in enumerate(("book", "look", "book"))]
    texts = LaneTexts(analysis(Choice(index=0, tool_calls=tuple(calls))))
    lanes = [Lane(0, LaneKind.TOOL_CALL, n) for n in range(3)]
    assert [texts.name(None, lane) for lane in lanes] == ["book 1", "look", "book 2"]


def test_names_of_many_calls_of_one_tool_are_compared_no_oftener_than_there_are_calls() -> None:
    compared = 0

    class Name(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    calls = tuple(ToolCall(index=n, name=Name("book")) for n in range(300))
    texts = LaneTexts(analysis(Choice(index=0, tool_calls=calls)))
    assert texts.name(None, Lane(0, LaneKind.TOOL_CALL, 299)) == "book 300"
    for number in range(300):
        texts.name(None, Lane(0, LaneKind.TOOL_CALL, number))
    assert compared <= 10 * len(calls)


def test_the_only_text_of_a_choice_is_called_by_its_field() -> None:
    assert lanes(streamed(*TWO_CHOICES)) == [
        ("content", "Ship from Rotterdam."),
        ("content", "Ship from Leipzig."),
    ]


def test_blocks_of_one_lane_are_that_lane() -> None:
    said = Choice(
        index=0, content="see there", blocks=(text("see ", lane=0), text("there", lane=0))
    )
    texts = LaneTexts(analysis(said))
    lane = Lane(0, LaneKind.CONTENT)
    assert (texts.name(0, lane), texts.text(0, lane), texts.block(0)) == (
        "content", "see there", None,
    )  # fmt: skip


def test_a_call_that_the_provider_ran_is_called_by_its_type() -> None:
    ran = Block(
        kind=BlockKind.HOSTED, type="web_search_call", lane=0, text='{"query":"x"}', value={}
    )
    texts = LaneTexts(analysis(Choice(index=0, blocks=(ran,))))
    lane = Lane(0, LaneKind.TOOL_CALL)
    assert (texts.name(0, lane), texts.text(0, lane)) == ("web search call", '{"query":"x"}')


def test_half_a_surrogate_pair_in_a_type_is_replaced() -> None:
    ran = Block(kind=BlockKind.HOSTED, type="\ud800", lane=0, value={})
    texts = LaneTexts(analysis(Choice(index=0, blocks=(ran,))))
    assert texts.name(0, Lane(0, LaneKind.TOOL_CALL)) == "\ufffd"


def test_an_unread_call_keeps_the_name_of_its_kind() -> None:
    texts = LaneTexts(analysis(Choice(index=0)))
    lane = Lane(0, LaneKind.FUNCTION_CALL)
    assert (texts.name(0, lane), texts.text(0, lane)) == ("function call", None)
    assert texts.name(None, msgspec.structs.replace(lane, choice=7)) == "function call"
