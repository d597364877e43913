"""Event streams by the WHATWG standard, in any cutting."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.wire.sse import Comment, Event, IgnoredLine, Splitter, StreamItem, Tail

BOM = b"\xef\xbb\xbf"


def split(*reads: bytes) -> tuple[list[StreamItem], Tail | None]:
    splitter = Splitter()
    items = [item for read in reads for item in splitter.feed(read)]
    return items, splitter.tail()


def data(*reads: bytes) -> list[bytes]:
    return [item.data for item in split(*reads)[0] if isinstance(item, Event)]


# -- the examples of the standard, in its order -----------------------------------------------------


def test_standard_stock_ticker_joins_data_lines_with_lf() -> None:
    assert data(b"data: YHOO\ndata: +2\ndata: 10\n\n") == [b"YHOO\n+2\n10"]


def test_standard_introduction_has_one_message_of_two_lines() -> None:
    body = (
        b"data: This is the first message.\n\n"
        b"data: This is the second message, it\ndata: has two lines.\n\n"
        b"data: This is the third message.\n\n"
    )
    assert data(body) == [
        b"This is the first message.",
        b"This is the second message, it\nhas two lines.",
        b"This is the third message.",
    ]


def test_standard_introduction_names_events() -> None:
    body = (
        b"event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n"
    )
    items, tail = split(body)
    assert items == [
        Event(0, 27, b"73857293", b"add"),
        Event(27, 53, b"2153", b"remove"),
        Event(53, 78, b"113411", b"add"),
    ]
    assert tail is None


def test_standard_four_blocks_a_comment_two_ids_and_a_lost_tail() -> None:
    body = b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n"
    items, tail = split(body)
    assert items == [
        Comment(0, 14, b" test stream"),
        Event(15, 40, b"first event"),
        Event(40, 62, b"second event"),
    ]
    assert tail == Tail(62, 81, b" third event")


def test_standard_ids_are_set_and_then_reset_to_empty() -> None:
    splitter = Splitter()
    splitter.feed(b"data: first event\nid: 1\n\n")
    assert splitter.last_event_id == b"1"
    splitter.feed(b"data:second event\nid\n\n")
    assert splitter.last_event_id == b""


def test_standard_data_without_a_colon_is_empty_and_two_of_them_are_one_newline() -> None:
    items, tail = split(b"data\n\ndata\ndata\n\ndata:\n")
    assert items == [Event(0, 6, b""), Event(6, 17, b"\n")]
    assert tail == Tail(17, 23, b"")


def test_standard_the_space_after_the_colon_changes_nothing() -> None:
    assert data(b"data:test\n\ndata: test\n\n") == [b"test", b"test"]


# -- lines ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"], ids=["LF", "CR", "CRLF"])
def test_every_line_end_ends_lines_and_events(end: bytes) -> None:
    body = b"event: a" + end + b"data: 1" + end + end + b"data: 2" + end + end
    items, tail = split(body)
    assert [(item.data, item.type) for item in items] == [(b"1", b"a"), (b"2", b"")]
    assert tail is None


def test_line_ends_may_be_mixed() -> None:
    assert data(b"data: 1\r\n\rdata: 2\n\r\ndata: 3\r\r") == [b"1", b"2", b"3"]


def test_a_crlf_cut_in_two_is_one_line_end() -> None:
    assert data(b"data: 1\r", b"\ndata: 2\r", b"\n\r", b"\n") == [b"1\n2"]


def test_a_cr_dispatches_without_waiting_for_an_lf() -> None:
    splitter = Splitter()
    assert splitter.feed(b"data: 1\r\n\r") == [Event(0, 10, b"1")]
    assert splitter.feed(b"\ndata: 2\n\n") == [Event(11, 20, b"2")]


@pytest.mark.parametrize("white", ["\u2028", "\u2029", "\u0085", "\v", "\f", "\x1c"])
def test_other_line_separators_are_text(white: str) -> None:
    text = f"a{white}b".encode()
    assert data(b"data: " + text + b"\n\n") == [text]


def test_a_line_of_white_space_is_no_blank_line() -> None:
    items, _ = split(b"data: 1\n \ndata: 2\n\n")
    assert items == [IgnoredLine(8, 10, b" "), Event(0, 19, b"1\n2")]


# -- the byte-order mark ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reads",
    [(BOM + b"data: 1\n\n",), (BOM[:1], BOM[1:2], BOM[2:] + b"data: 1\n\n"), (BOM, b"data: 1\n\n")],
    ids=["in one read", "bytewise", "in a read of its own"],
)
def test_one_leading_mark_is_dropped_however_it_comes(reads: tuple[bytes, ...]) -> None:
    assert split(*reads)[0] == [Event(3, 12, b"1")]


def test_a_second_mark_belongs_to_a_field_nobody_knows() -> None:
    items, _ = split(BOM + BOM + b"data: 1\n\ndata: 2\n\n")
    assert items == [IgnoredLine(3, 14, BOM + b"data", b" 1"), Event(15, 24, b"2")]


def test_half_a_mark_is_text() -> None:
    assert split(BOM[:2] + b"\ndata: 1\n\n")[0] == [IgnoredLine(0, 3, BOM[:2]), Event(3, 12, b"1")]


# -- what a client drops in silence -----------------------------------------------------------------


def test_comments_are_returned_with_their_bytes() -> None:
    items, _ = split(b": ping\n\n:\n\n:no space\n")
    assert items == [Comment(0, 7, b" ping"), Comment(8, 10, b""), Comment(11, 21, b"no space")]


def test_a_comment_inside_an_event_does_not_end_it() -> None:
    items, _ = split(b"data: 1\n: ping\ndata: 2\n\n")
    assert items == [Comment(8, 15, b" ping"), Event(0, 24, b"1\n2")]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"foo: bar\n", b"foo"),
        (b"DATA: 1\n", b"DATA"),
        (b" data: 1\n", b" data"),
        (b"data : 1\n", b"data "),
        (b"no colon\n", b"no colon"),
        (b"id: a\0b\n", b"id"),
        (b"retry: soon\n", b"retry"),
        (b"retry: -1\n", b"retry"),
        ("retry: ٣\n".encode(), b"retry"),
    ],
)
def test_a_line_that_means_nothing_is_ignored_by_name(line: bytes, name: bytes) -> None:
    items, tail = split(line + b"data: 1\n\n")
    value = line.rstrip(b"\n").partition(b":")[2]
    assert items == [IgnoredLine(0, len(line), name, value), Event(len(line), len(line) + 9, b"1")]
    assert tail is None


def test_a_block_without_data_is_ignored_as_a_whole() -> None:
    items, _ = split(b"event: ping\nid: 7\n\ndata: 1\n\n")
    assert items == [IgnoredLine(0, 19, b""), Event(19, 28, b"1")]


def test_the_type_of_a_block_without_data_does_not_reach_the_next_event() -> None:
    assert split(b"event: ping\n\ndata: 1\n\n")[0][1] == Event(13, 22, b"1", b"")


def test_an_id_with_nul_leaves_the_last_one() -> None:
    splitter = Splitter()
    splitter.feed(b"id: 7\nid: a\0b\ndata: 1\n\n")
    assert splitter.last_event_id == b"7"


def test_a_long_retry_is_kept_as_its_digits() -> None:
    splitter = Splitter()
    splitter.feed(b"retry: " + b"9" * 5000 + b"\nretry: soon\n\n")
    assert splitter.retry_ms == b"9" * 5000


def test_the_last_event_name_of_a_block_holds() -> None:
    assert split(b"event: a\nevent: b\ndata: 1\n\n")[0] == [Event(0, 27, b"1", b"b")]


# -- the tail ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "tail"),
    [
        (b"", None),
        (b"data: 1\n\n", None),
        (b"data: 1\r\n\r", None),
        (b"data: 1\r\n\r\n", None),
        (b"data: 1\n", Tail(0, 8, b"1")),
        (b"data: 1", Tail(0, 7, b"1")),
        (b"data: 1\r\n", Tail(0, 9, b"1")),
        (b"event: a\ndata: 1", Tail(0, 16, b"1", b"a")),
        (b"data: 1\ndata: 2", Tail(0, 15, b"1\n2")),
        (b"data: 1\n: cut", Tail(0, 13, b"1")),
        (b"data: 0\n\nevent: a\n", Tail(9, 18, None, b"a")),
        (b": cut", Tail(0, 5, None)),
        (b"garbage", Tail(0, 7, None)),
    ],
)
def test_the_tail_is_what_follows_the_last_event(body: bytes, tail: Tail | None) -> None:
    assert split(body)[1] == tail


def test_asking_for_the_tail_changes_nothing() -> None:
    splitter = Splitter()
    splitter.feed(b"data: 1\nda")
    assert splitter.tail() == splitter.tail() == Tail(0, 10, b"1")
    assert splitter.feed(b"ta: 2\n\n") == [Event(0, 17, b"1\n2")]


def test_a_line_that_comes_byte_by_byte_is_one_line() -> None:
    body = b"data: " + b"x" * 5000 + b"\n\n"
    assert data(*(body[at : at + 1] for at in range(len(body)))) == [b"x" * 5000]


# -- every cutting gives what a slow and obvious reader gives ---------------------------------------


def lines_of(body: bytes) -> Iterator[tuple[int, int | None, bytes]]:
    """Where every line begins, where it has ended (None where it has not), and what it says."""
    at = len(BOM) if body.startswith(BOM) else 0
    while at < len(body):
        ends = [place for place in (body.find(b"\n", at), body.find(b"\r", at)) if place >= 0]
        if not ends:
            yield at, None, body[at:]
            return
        stop = min(ends)
        yield at, stop + 1, body[at:stop]
        at = stop + (2 if body[stop : stop + 2] == b"\r\n" else 1)


def field_of(line: bytes) -> tuple[bytes, bytes] | None:
    """Name and value of a field that the standard knows, None for what it ignores."""
    name, _, value = line.partition(b":")
    value = value.removeprefix(b" ")
    known = {
        b"data": True,
        b"event": True,
        b"id": b"\0" not in value,
        b"retry": value != b"" and set(value) <= set(b"0123456789"),
    }
    return (name, value) if known.get(name) else None


def block_of(start: int, end: int, fields: list[tuple[bytes, bytes]]) -> StreamItem:
    data = [value for name, value in fields if name == b"data"]
    types = [value for name, value in fields if name == b"event"]
    if not data:
        return IgnoredLine(start, end, b"")
    return Event(start, end, b"\n".join(data), types[-1] if types else b"")


def tail_of(start: int, end: int, fields: list[tuple[bytes, bytes]]) -> Tail:
    data = [value for name, value in fields if name == b"data"]
    types = [value for name, value in fields if name == b"event"]
    return Tail(start, end, b"\n".join(data) if data else None, types[-1] if types else b"")


def reference(body: bytes) -> tuple[list[StreamItem], Tail | None]:
    """The standard's algorithm line by line, on a body that is whole."""
    items: list[StreamItem] = []
    start: int | None = None
    fields: list[tuple[bytes, bytes]] = []
    for begin, end, line in lines_of(body):
        field = None if line.startswith(b":") else field_of(line)
        if start is None and line and (field or end is None):
            start = begin
        if field:
            fields.append(field)
        elif end is None:
            continue
        elif line.startswith(b":"):
            items.append(Comment(begin, end, line[1:]))
        elif line:
            name, _, value = line.partition(b":")
            items.append(IgnoredLine(begin, end, name, value))
        elif start is not None:
            items.append(block_of(start, end, fields))
            start, fields = None, []
    return items, None if start is None else tail_of(start, len(body), fields)


def test_a_long_stream_is_cut_as_its_events_are_one_by_one() -> None:
    events = [b'data: {"n":%d}\n\n' % number for number in range(9000)]
    events[7000:7000] = [b": a comment\n\n", b"event: named\ndata: {}\n\n"]
    assert split(b"".join(events)) == split(*events)


PIECES = [b"data", b"event", b"id", b"retry", b":", b": ", b" ", b"\n", b"\r", b"\r\n", b"\n\n"]
PIECES += [b"data: {}\n\n", b"data: x\r\n\r\n", b"x", b"7", b"\0", BOM, b"\xef", b"\xc3\xa9"]
STREAMS = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)
CUTS = st.lists(st.integers(0, 300), max_size=12)


def cut(body: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(body), *(place for place in cuts if place < len(body))})
    return [body[start:end] for start, end in pairwise(places)]


@given(body=STREAMS, cuts=CUTS)
def test_any_cutting_gives_what_the_reference_gives(body: bytes, cuts: list[int]) -> None:
    assert split(*cut(body, cuts)) == reference(body)


@given(body=STREAMS)
def test_byte_by_byte_gives_what_the_reference_gives(body: bytes) -> None:
    assert split(*cut(body, list(range(len(body))))) == reference(body)


@given(body=STREAMS)
def test_items_stand_in_the_order_of_their_ends_and_inside_the_body(body: bytes) -> None:
    items, tail = split(body)
    ends = [item.byte_end for item in items]
    assert ends == sorted(ends)
    assert all(0 <= item.byte_start < item.byte_end <= len(body) for item in items)
    assert tail is None or tail.byte_end == len(body)


def test_the_reference_itself_reads_the_example_of_the_standard() -> None:
    items, tail = reference(b": c\ndata: a\ndata: b\n\nid: 1\n\ndata: lost")
    assert items == [Comment(0, 4, b" c"), Event(4, 21, b"a\nb"), IgnoredLine(21, 28, b"")]
    assert tail == Tail(28, 38, b"lost")
