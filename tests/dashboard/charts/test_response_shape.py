from inspector.dashboard.charts.response_shape import ResponseShape, ShapeBar, response_shape_of
from tests.dashboard.capture.samples import row


def shape(**columns: object) -> ResponseShape:
    found = response_shape_of(row(**columns))
    assert found is not None
    return found


def test_every_shape_is_on_one_scale_of_twelve_seconds() -> None:
    drawn = shape(first_content_us=3_000_000, duration_us=6_000_000)
    assert (drawn.wait, drawn.end) == (32, 64)
    assert drawn.bars == (ShapeBar("content", 32, 32),)


def test_each_kind_lasts_until_the_next_one_begins() -> None:
    drawn = shape(
        first_reasoning_us=1_500_000,
        first_content_us=3_000_000,
        first_tool_call_us=4_500_000,
        duration_us=6_000_000,
    )
    assert drawn.bars == (
        ShapeBar("reasoning", 16, 16), ShapeBar("content", 32, 16), ShapeBar("tool", 48, 16),
    )  # fmt: skip


def test_a_stall_is_cut_out_of_its_bar() -> None:
    drawn = shape(
        first_content_us=1_500_000,
        stall_start_us=3_000_000,
        stall_end_us=4_500_000,
        duration_us=6_000_000,
    )
    assert drawn.bars == (ShapeBar("content", 16, 16), ShapeBar("content", 48, 16))
    assert drawn.stall == (32, 48)


def test_what_is_longer_than_the_scale_goes_on() -> None:
    drawn = shape(first_content_us=1_000_000, duration_us=60_000_000)
    assert drawn.beyond and drawn.end == 128
    assert not shape(duration_us=12_000_000).beyond


def test_a_body_that_did_not_stream_is_a_line() -> None:
    drawn = shape(streamed=False, first_content_us=None, duration_us=3_000_000)
    assert (drawn.wait, drawn.bars) == (32, ())


def test_without_first_times_the_whole_is_one_flat_bar() -> None:
    drawn = shape(clock="partial", first_content_us=None, duration_us=1_500_000)
    assert drawn.bars == (ShapeBar("flat", 0, 16),)


def test_broken_and_cancelled_responses_end_in_a_cut() -> None:
    verdicts = ("complete", "missing-terminator", "cut-off", "provider-error", "client-cancelled")
    assert [shape(verdict=verdict).cut for verdict in verdicts] == [
        False, False, True, True, True,
    ]  # fmt: skip


def test_without_a_clock_there_is_no_shape() -> None:
    assert response_shape_of(row(duration_us=None)) is None


def test_a_shape_says_what_it_draws() -> None:
    drawn = shape(stall_start_us=500_000, stall_end_us=1_700_000)
    assert drawn.words == "content from 0.40 s, a stall of 1.20 s, ends at 2.00 s"
