from inspector.core.tape import LaneKind, length_u16
from inspector.dashboard.capture.page.provenance import Provenance
from tests.dashboard.capture.samples import DONE, TWO_CHOICES, chunk, delta, streamed


def provenance(*reads: tuple[int | None, str]) -> Provenance:
    found = streamed(*reads).provenance
    assert found is not None
    return found


def test_an_event_arrived_with_the_read_that_completed_it() -> None:
    first = chunk(delta(content="one"))
    halves = provenance((100, first[:20]), (200, first[20:] + DONE))
    assert [halves.read_of(event) for event in (0, 1)] == [1, 1]
    assert halves.at_us(0) == 200


def test_nobody_knows_when_where_no_times_were_noted() -> None:
    assert provenance((None, chunk(delta(content="one")) + DONE)).at_us(0) is None


def test_a_character_leads_to_its_event() -> None:
    two = provenance(*TWO_CHOICES)
    (lane,) = two.lanes(0, LaneKind.CONTENT)
    assert two.event_of_character(lane, 0) == 3
    assert two.event_of_character(lane, 9) == 3
    assert two.event_of_character(lane, 10) == 5


def test_a_span_tells_the_pieces_of_a_choice_and_their_times() -> None:
    two = provenance(*TWO_CHOICES)
    span = two.span(*two.lanes(1))
    assert span is not None
    assert (span.pieces, span.first_event, span.last_event) == (2, 4, 6)
    assert (span.start_us, span.end_us) == (710_000, 810_000)
    assert two.span() is None
    assert two.ended_us(1) == 900_000


def test_a_byte_leads_to_its_event() -> None:
    two = provenance(*TWO_CHOICES)
    assert two.event_at(0) == 0
    assert two.event_at(two.tape.events.byte_start[4]) == 4
    assert two.event_at(10**9) is None


def test_lengths_count_what_browsers_select_in() -> None:
    assert length_u16("a😀b") == 4
