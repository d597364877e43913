from inspector.core.completion import ToolCall
from inspector.dashboard.capture.tool_calls.bracket_depth import (
    MAX_COLUMNS,
    BracketDepthChart,
    bracket_depth_chart,
)
from tests.dashboard.capture.samples import DONE, call, chunk, delta, streamed, whole


def grown(*pieces: str) -> BracketDepthChart | None:
    reads = [(100 * n, chunk(delta(0, **call(piece)))) for n, piece in enumerate(pieces, start=1)]
    view = streamed(*reads, (9_000_000, DONE))
    assert view.analysis is not None and view.provenance is not None
    (found,) = view.analysis.choices[0].tool_calls
    return bracket_depth_chart(found, view.provenance.tool_call_lane(0, 0), view.provenance)


def test_a_column_stands_for_each_chunk() -> None:
    drawing = grown('{"a":', "[{", '"b":"x', 'y"', "}]", "}")
    assert drawing is not None
    assert [column.depth for column in drawing.columns] == [1, 3, 3, 3, 1, 0]
    assert [column.kind for column in drawing.columns] == ["", "", "text", "", "", ""]
    assert [column.first_event for column in drawing.columns] == [0, 1, 2, 3, 4, 5]
    assert (drawing.deepest, drawing.still_open, drawing.whole_at) == (3, 0, 5)


def test_the_deepest_column_fills_the_drawing_and_none_vanishes() -> None:
    drawing = grown("{", '"a":[', "1]", "}")
    assert drawing is not None
    assert [(column.y, column.height) for column in drawing.columns] == [
        (18, 18), (0, 36), (18, 18), (35, 1),
    ]  # fmt: skip
    assert drawing.levels == (18,)


def test_what_stays_open_ends_in_an_error() -> None:
    drawing = grown('{"a":', "[1", ",2")
    assert drawing is not None
    assert (drawing.columns[-1].kind, drawing.still_open, drawing.whole_at) == ("broken", 2, None)


def test_from_the_breaking_chunk_on_every_column_is_an_error() -> None:
    drawing = grown('{"a":', "[1", "oops", "]}")
    assert drawing is not None
    assert [column.kind for column in drawing.columns] == ["", "", "broken", "broken"]


def test_one_bracket_that_opens_and_closes_says_too_little_to_be_drawn() -> None:
    assert grown('{"text":"a long', " text", '"}') is None


def test_many_chunks_share_columns() -> None:
    drawing = grown('{"a":[1', *[",1"] * 300, "]", "}")
    assert drawing is not None
    assert len(drawing.columns) <= MAX_COLUMNS
    assert sum(column.chunks for column in drawing.columns) == drawing.chunks == 303
    assert drawing.columns[-1].last_event == 302


def test_a_whole_body_did_not_grow() -> None:
    entry = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"a":[1]}'}}
    answer = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"tool_calls": [entry]}}],
    }
    view = whole(answer)
    assert view.analysis is not None
    assert (
        bracket_depth_chart(view.analysis.choices[0].tool_calls[0], None, view.provenance) is None
    )


def test_a_text_that_is_not_kept_in_full_is_not_drawn() -> None:
    view = streamed((100, chunk(delta(0, **call('{"a":[')))), (200, chunk(delta(0, **call("1]}")))))
    lane = view.provenance.tool_call_lane(0, 0) if view.provenance else None
    cut = ToolCall(index=0, arguments_text='{"a":[')
    assert bracket_depth_chart(cut, lane, view.provenance) is None
