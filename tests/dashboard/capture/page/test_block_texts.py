"""A character of a choice's text is found in the block and the lane that hold it."""

from inspector.core.completion import BlockKind, Choice
from inspector.dashboard.capture.page.block_texts import block_texts, place_in_lane
from tests.dashboard.capture.block_samples import choice, text, thought


def places(said: Choice, *offsets: int) -> list[tuple[int, int] | None]:
    texts = block_texts(said, BlockKind.TEXT)
    return [place_in_lane(texts, offset, offset) for offset in offsets]


def test_texts_with_lanes_of_their_own_begin_at_zero() -> None:
    said = choice(text("one ", lane=0), thought("hm"), text("two", lane=2))
    assert places(said, 0, 3, 4, 7) == [(0, 0), (0, 3), (2, 0), (2, 3)]


def test_texts_of_one_lane_follow_each_other() -> None:
    said = choice(text("one ", lane=5), text("two", lane=5))
    assert places(said, 0, 4, 6) == [(5, 0), (5, 4), (5, 6)]
    assert [each.begin for each in block_texts(said, BlockKind.TEXT)] == [0, 4]


def test_units_beyond_the_basic_plane_count_twice() -> None:
    said = choice(text("\N{GRINNING FACE}", lane=0), text("two", lane=0))
    first, second = block_texts(said, BlockKind.TEXT)
    assert (second.begin, second.begin_u16, second.lane_start_u16) == (1, 2, 2)
    assert first.end == 1


def test_a_lane_that_says_more_than_its_blocks_gives_no_places() -> None:
    said = Choice(
        index=0, content="one more two", blocks=(text("one ", lane=0), text("two", lane=0))
    )
    assert places(said, 0, 5) == [None, None]


def test_without_lanes_and_without_blocks_there_are_no_places() -> None:
    assert places(choice(text("one")), 0) == [None]
    assert places(Choice(index=0, content="one"), 0) == [None]
