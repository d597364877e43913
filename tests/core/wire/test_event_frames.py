"""Binary event frames: cut anywhere, damaged anywhere."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.provenance import Origins
from inspector.core.reading import Reading
from inspector.core.wire.event_frames import (
    MAX_FRAME_BYTES,
    Frame,
    FrameFault,
    FrameSplitter,
    FrameTail,
    begins_frame,
)
from inspector.core.wire.exchange import Exchange, Read
from inspector.core.wire.framing import Framing, Sniffer
from tests.core.frames import exception, frame, frame_of, header

HI = frame("contentBlockDelta", b'{"delta":{"text":"Hi"}}')
END = frame("messageStop", b'{"stopReason":"end_turn"}')


def split(body: bytes, *cuts: int) -> tuple[list[Frame], FrameTail | None]:
    splitter = FrameSplitter()
    ends = [0, *sorted(cuts), len(body)]
    found = [one for start, end in pairwise(ends) for one in splitter.feed(body[start:end])]
    return found, splitter.tail()


def test_a_frame_has_its_type_its_payload_and_its_bytes() -> None:
    found, tail = split(HI + END)
    assert found == [
        Frame(0, len(HI), b'{"delta":{"text":"Hi"}}', "contentBlockDelta"),
        Frame(len(HI), len(HI + END), b'{"stopReason":"end_turn"}', "messageStop"),
    ]
    assert tail is None


def test_a_frame_comes_with_its_last_byte() -> None:
    splitter = FrameSplitter()
    assert splitter.feed(HI[:-1]) == []
    assert len(splitter.feed(HI[-1:] + END[:5])) == 1
    assert splitter.tail() == FrameTail(len(HI), len(HI) + 5)


def test_headers_of_every_type_are_passed_over() -> None:
    others = [
        b"\0",
        b"\1",
        b"\2a",
        b"\3ab",
        b"\4abcd",
        b"\5abcdefgh",
        b"\6\0\3abc",
        b"\x08abcdefgh",
    ]
    others.append(b"\x09" + b"u" * 16)
    headers = b"".join(b"\1x" + other for other in others) + header(":event-type", "metadata")
    ((one,), _) = split(frame_of(headers, b"{}"))
    assert (one.type, one.payload, one.faults) == ("metadata", b"{}", ())


def test_an_exception_is_an_error_by_its_own_type() -> None:
    ((one,), _) = split(exception("throttlingException", b'{"message":"slow down"}'))
    assert (one.type, one.is_error) == ("throttlingException", True)


def test_an_error_may_stand_in_the_headers_alone() -> None:
    headers = header(":message-type", "error") + header(":error-code", "InternalFailure")
    ((one,), _) = split(frame_of(headers + header(":error-message", "broken"), b""))
    assert (one.type, one.is_error) == ("InternalFailure", True)
    assert one.payload == b'{"message":"broken"}'


def flipped(body: bytes, at: int) -> bytes:
    return body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]


def test_a_wrong_checksum_of_the_frame_is_told_with_its_bytes_and_the_frame_is_read() -> None:
    body = END + flipped(HI, len(HI) - 6)
    found, tail = split(body + END)
    ((fault,),) = [one.faults for one in found if one.faults]
    assert (fault.byte_start, fault.byte_end) == (len(body) - 4, len(body))
    assert fault.message.startswith("the checksum of the frame is ")
    assert [one.type for one in found] == ["messageStop", "contentBlockDelta", "messageStop"]
    assert tail is None


def test_a_wrong_checksum_of_the_lengths_is_told_and_the_frame_is_read() -> None:
    found, _ = split(flipped(HI, 9) + END)
    first, second = (one.faults for one in found)
    assert [(fault.byte_start, fault.byte_end) for fault in first] == [
        (8, 12),
        (len(HI) - 4, len(HI)),
    ]
    assert second == ()


@pytest.mark.parametrize("length", [0, 15, MAX_FRAME_BYTES + 1, 0xFFFFFFFF])
def test_after_a_length_that_cannot_be_nothing_more_is_read(length: int) -> None:
    found, tail = split(HI + length.to_bytes(4) + HI[4:] + END)
    assert len(found) == 1
    fault = FrameFault(len(HI), len(HI) + 4, f"a frame of {length:,} bytes cannot be")
    assert tail == FrameTail(len(HI), len(HI + HI + END), fault)


def test_a_length_beyond_the_end_is_a_cut() -> None:
    found, tail = split(HI + (9_000_000).to_bytes(4) + HI[4:])
    assert (len(found), tail) == (1, FrameTail(len(HI), 2 * len(HI)))


def test_headers_longer_than_the_frame_leave_no_payload() -> None:
    body = HI[:4] + (60_000).to_bytes(4) + HI[8:]
    ((one, _), tail) = split(body + END)
    assert (one.payload, one.type, tail) == (b"", "", None)
    assert one.faults[-1] == FrameFault(4, 8, "its headers are longer than the frame")


@pytest.mark.parametrize("headers", [b"\xff:event-type", b"\1x\7\xff\xffabc", b"\1x", b"\1x\5a"])
def test_a_header_that_goes_beyond_the_headers_is_told(headers: bytes) -> None:
    body = frame_of(header(":event-type", "metadata") + headers, b"{}")
    ((one,), _) = split(body)
    assert (one.type, one.payload) == ("metadata", b"{}")
    at = 12 + len(header(":event-type", "metadata"))
    message = "a header goes on beyond the headers"
    assert one.faults == (FrameFault(at, at + len(headers), message),)


def test_a_tail_shorter_than_a_beginning_is_a_tail() -> None:
    assert split(HI + b"\0") == ([*split(HI)[0]], FrameTail(len(HI), len(HI) + 1))


BODIES = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from(
            [HI, END, flipped(HI, 9), flipped(HI, 3), HI[:20], b"\0\0\0\x10" + bytes(12), b"{}"]
        ),
        max_size=4,
    ).map(b"".join),
)


@given(BODIES, st.lists(st.integers(0, 200), max_size=4))
def test_any_cutting_gives_the_same_frames(body: bytes, cuts: list[int]) -> None:
    assert split(body, *(cut % (len(body) + 1) for cut in cuts)) == split(body)


@given(BODIES, st.lists(st.integers(0, 200), max_size=4), st.booleans())
def test_frames_are_read_alike_in_any_cut(body: bytes, cuts: list[int], is_declared: bool) -> None:
    declared = "application/vnd.amazon.eventstream" if is_declared else None
    about = Exchange(reads=(), content_type=declared)
    ends = [0, *sorted(cut % (len(body) + 1) for cut in cuts), len(body)]
    machines = [Reading(about), Reading(about)]
    machines[0].feed(Read(None, body))
    for start, end in pairwise(ends):
        machines[1].feed(Read(None, body[start:end]))
    one, other = machines
    assert one.analysis() == other.analysis()
    assert one.tape().events == other.tape().events
    list(Origins(one.tape(), body).of(0, 0, 9) if one.tape().lanes else ())


# -- how a body is told to be frames --------------------------------------------------------------


def test_a_sound_beginning_is_that_of_a_frame() -> None:
    assert begins_frame(HI) and begins_frame(HI[:12])
    assert not begins_frame(HI[:11]) and not begins_frame(flipped(HI, 9))


@pytest.mark.parametrize(
    ("reads", "is_declared", "framing"),
    [
        ((HI,), False, Framing.EVENT_FRAMES),
        ((HI[:1], HI[1:11], HI[11:]), False, Framing.EVENT_FRAMES),
        ((HI[:11],), False, None),
        ((flipped(HI, 9),), False, Framing.EVENT_STREAM),
        ((flipped(HI, 9),), True, Framing.EVENT_FRAMES),
        ((HI[:1],), True, Framing.EVENT_FRAMES),
        # What is declared may have been decoded by whoever recorded it.
        ((b'{"message":"no"}',), True, Framing.DOCUMENT),
        ((b"data: {}",), True, Framing.EVENT_STREAM),
        ((b"\n",), True, None),
    ],
)
def test_frames_are_told_by_their_beginning_or_where_they_are_declared(
    reads: tuple[bytes, ...], is_declared: bool, framing: Framing | None
) -> None:
    sniffer = Sniffer(declares_frames=is_declared)
    *_, last = (sniffer.feed(read) for read in reads)
    assert last is framing
