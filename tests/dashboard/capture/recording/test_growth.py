"""Growth that a page is told of a running recording adds up to all that has come."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.completion import BlockKind
from inspector.core.readout import Readout, readout
from inspector.core.wire.exchange import Exchange, MeasuredBy, Read, TransportOutcome
from inspector.dashboard.capture.recording.growth import (
    GrowthCursor,
    PageGrowth,
    growth_since,
    parse_cursor,
)
from tests.core.bodies import (
    GOOD,
    GOOD_STREAM,
    ROLE,
    STOP,
    calls_stream,
    chat_stream,
    chunk,
    delta,
    event,
)
from tests.core.native_bodies import GEMINI_CHUNKS, NATIVES, OLLAMA_LINES, as_array, as_lines
from tests.core.test_reading import BODIES
from tests.core.test_tape import SNAPSHOTS

CALLS = calls_stream(
    b'{"index":0,"id":"call_1","type":"function","function":{"name":"send","arguments":""}}',
    b'{"index":0,"function":{"arguments":"{\\"to\\":"}}',
    b'{"index":1,"id":"call_2","type":"function","function":{"name":"stop","arguments":"{}"}}',
    b'{"index":0,"function":{"arguments":"1}"}}',
)
TWO_CHOICES = chat_stream(
    ROLE,
    b'{"index":1,"delta":{"role":"assistant"},"finish_reason":null}',
    delta(b'"reasoning_content":"Hm."'),
    delta(b'"content":"One"'),
    delta(b'"content":"Two"', 1),
    delta(b'"content":" more"'),
    STOP,
    b'{"index":1,"delta":{},"finish_reason":"length"}',
)
PAIR_IN_TWO = chat_stream(ROLE, delta(rb'"content":"a\ud83d"'), delta(rb'"content":"\ude00b"'))
SAMPLES = {
    **{native.name: native.body for native in NATIVES},
    "chat": GOOD_STREAM,
    "chat, whole": GOOD,
    "two choices": TWO_CHOICES,
    "calls": CALLS,
    "snapshots": SNAPSHOTS,
    "a pair in two chunks": PAIR_IN_TWO,
    "a list that ends": as_array(GEMINI_CHUNKS),
    "lines": as_lines(OLLAMA_LINES),
}


def read_so_far(*parts: bytes) -> Readout:
    """The reading of a running recording, a read for each part, a tenth of a second apart."""
    reads = tuple(Read(100_000 * number, part) for number, part in enumerate(parts, 1))
    return readout(
        Exchange(reads=reads, outcome=TransportOutcome.OPEN, measured_by=MeasuredBy.PROXY)
    )


class Page:
    """Puts together what it is told, and begins anew where it is told so."""

    def __init__(self) -> None:
        self.cursor = GrowthCursor()
        self.told: list[PageGrowth] = []
        self._clear()

    def _clear(self) -> None:
        self.columns: dict[str, dict[str, list[Any]]] = {}
        self.lanes: list[Any] = []
        self.texts: dict[int, Any] = {}

    def ask(self, *parts: bytes) -> PageGrowth:
        growth = growth_since(self.cursor, read_so_far(*parts), sum(map(len, parts)))
        # It always can be sent as JSON.
        assert msgspec.json.decode(msgspec.json.encode(growth))
        if growth.starts_over:
            self._clear()
        self.told.append(growth)
        self.cursor = parse_cursor(growth.cursor)
        for name in ("reads", "events", "marks", "pieces"):
            held = self.columns.setdefault(name, {})
            for column, rows in msgspec.structs.asdict(getattr(growth.columns, name)).items():
                held[column] = held.get(column, []) + rows
        self.lanes += [(each.choice, each.kind, each.mode) for each in growth.columns.lanes]
        for lane, more in growth.columns.texts:
            self.texts[lane] = self.texts[lane] + more if lane in self.texts else more
        return growth

    @property
    def starts(self) -> list[bool]:
        return [growth.starts_over for growth in self.told]

    @property
    def state(self) -> tuple[Any, ...]:
        return self.columns, self.lanes, self.texts, self.told[-1].head


def followed(*parts: bytes) -> Page:
    """A page that asked after every part."""
    page = Page()
    for number in range(len(parts) + 1):
        page.ask(*parts[:number])
    return page


def asked_once(*parts: bytes) -> Page:
    page = Page()
    page.ask(*parts)
    return page


def in_pieces(body: bytes, size: int) -> list[bytes]:
    return [body[at : at + size] for at in range(0, len(body), size)]


def head_of(*parts: bytes) -> Any:
    return asked_once(*parts).told[-1].head


# -- what came adds up ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("size", [23, 150])
def test_what_is_told_adds_up_to_what_a_page_gets_that_asks_once(name: str, size: int) -> None:
    parts = in_pieces(SAMPLES[name], size)
    assert followed(*parts).state == asked_once(*parts).state


@given(body=BODIES, cuts=st.lists(st.integers(0, 10_000), max_size=6))
def test_of_any_bytes_something_is_told_that_adds_up(body: bytes, cuts: list[int]) -> None:
    bounds = sorted({0, len(body), *(cut % (len(body) + 1) for cut in cuts)})
    parts = [body[start:end] for start, end in pairwise(bounds)]
    assert followed(*parts).state == asked_once(*parts).state


def test_a_stream_is_told_once() -> None:
    parts = [chunk(delta(b'"content":"%d "' % number)) for number in range(20)]
    page = followed(*parts)
    # Of nothing, and of the first bytes.
    assert page.starts == [True, True, *[False] * 19]
    assert [len(growth.columns.pieces.event) for growth in page.told[1:]] == [1] * 20
    assert page.texts == {0: "".join(f"{number} " for number in range(20))}


def test_a_cursor_that_no_page_was_given_gets_all() -> None:
    found = read_so_far(GOOD_STREAM)
    whole = growth_since(GrowthCursor(), found, 1)
    for text in ("", "x", "1-2-3", "9-9-9-9-9-9-", f"{whole.cursor}0", "-1-0-0-0-0-0-a"):
        told = growth_since(parse_cursor(text), found, 1)
        assert (told.starts_over, told.columns) == (True, whole.columns)
    again = growth_since(parse_cursor(whole.cursor), found, 1)
    assert (again.starts_over, again.columns.texts) == (False, [])


# -- what only later shows ------------------------------------------------------------------------


def test_a_text_that_turns_out_to_be_snapshots_is_told_anew() -> None:
    first, second, last, _ = (part + b"\n\n" for part in SNAPSHOTS.split(b"\n\n"))
    page = Page()
    page.ask(first)
    page.ask(first, second)
    assert page.texts == {0: '{"a":1}{"a":1,"b":2}'}
    page.ask(first, second, last)
    assert page.starts == [True, False, True]
    assert page.texts == {0: [(0, '{"a":1}'), (6, ',"b":2}')]}


def test_the_first_half_of_a_pair_waits_for_the_second() -> None:
    assert followed(*in_pieces(PAIR_IN_TWO, 60)).texts == {0: "a😀b"}


def test_a_line_that_is_cut_is_no_event_yet() -> None:
    whole, cut = as_lines(OLLAMA_LINES[:2]), as_lines(OLLAMA_LINES[2:3])
    page = followed(whole, cut[:20], cut[20:])
    assert page.starts == [True, True, False, False]
    assert [len(growth.columns.events.kind) for growth in page.told[1:]] == [2, 0, 1]


def test_of_a_body_that_is_no_stream_only_the_size_is_told() -> None:
    told = asked_once(GOOD[:40], GOOD[40:]).told[-1]
    assert told.columns.reads.byte_end == [40, len(GOOD)]
    assert (told.columns.events.kind, told.columns.lanes, told.head.blocks) == ([], [], [])
    assert told.head.byte_length == len(GOOD)


# -- the head -------------------------------------------------------------------------------------


def test_the_open_block_is_the_one_that_grew_last() -> None:
    parts = [part + b"\n\n" for part in TWO_CHOICES.split(b"\n\n")[:-1]]
    told = [growth.head for growth in followed(*parts).told[1:]]
    blocks = [None if head.open_block is None else head.blocks[head.open_block] for head in told]
    assert [block and (block.choice, block.kind, block.lane) for block in blocks] == [
        None,
        None,
        (0, BlockKind.REASONING, 0),
        (0, BlockKind.TEXT, 1),
        (1, BlockKind.TEXT, 2),
        (0, BlockKind.TEXT, 1),
        None,
        None,
        None,
    ]


def test_a_call_is_listed_with_its_name_before_its_arguments_come() -> None:
    announced = b"\n\n".join(CALLS.split(b"\n\n")[:2]) + b"\n\n"
    (block,) = head_of(announced).blocks
    assert (block.kind, block.name, block.lane) == (BlockKind.TOOL_CALL, "send", None)


def test_first_times_and_finish_reasons_are_told_as_the_finished_page_has_them() -> None:
    role, text, end = chunk(ROLE), chunk(delta(b'"content":"Hi"')), chunk(STOP)
    head = head_of(role)
    assert (head.first_token_us, head.finishes) == (None, [])
    head = head_of(role, text, end)
    assert (head.first_token_us, head.first_content_us) == (200_000, 200_000)
    assert ("content", "content", 200_000) in head.firsts
    assert [(each.choice, each.reason, each.ordinary) for each in head.finishes] == [
        (0, "stop", True)
    ]


def test_counts_are_told_once_they_are_stated() -> None:
    usage = b'{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":0}}'
    assert head_of(chunk(ROLE)).usage == {}
    assert head_of(chunk(ROLE), event(usage)).usage == {"prompt_tokens": 3, "completion_tokens": 0}


def test_an_error_is_told_when_it_comes() -> None:
    assert head_of(chunk(ROLE)).error is None
    overloaded = event(b'{"error":{"message":"Overloaded \\ud83d"}}')
    assert "Overloaded \ufffd" in head_of(chunk(ROLE), overloaded).error
