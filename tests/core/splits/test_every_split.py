"""A stored stream is read again at every split, and each difference is told."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from inspector.core.reading import Reading
from inspector.core.splits import every_split
from inspector.core.splits.every_split import SplitPlan, SplitResult, advance, check
from inspector.core.splits.own_reading import deliver, splitter_of
from inspector.core.splits.readers import ReaderSplits
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.event_frames import CONTENT_TYPE
from inspector.core.wire.exchange import Exchange
from inspector.core.wire.framing import Framing
from inspector.core.wire.sse import Splitter
from tests.core.frames import frame

HELLO = b'{"id":"c","object":"chat.completion.chunk","created":1795183339,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"H\xc3\xa9"},"finish_reason":null}]}'
STOP = b'{"id":"c","object":"chat.completion.chunk","created":1795183339,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
STREAM = b"data: " + HELLO + b"\n\ndata: " + STOP + b"\n\ndata: [DONE]\n\n"
COMPLETION = b'{\n"id":"c","object":"chat.completion","created":1795183339,"model":"m",\n"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}'
OLLAMA = b'{"model":"m","message":{"role":"assistant","content":"H\xc3\xa9"},"done":false}\n{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n'


def reader(result: SplitResult, slug: str) -> ReaderSplits:
    (found,) = [each for each in result.readers if each.slug == slug]
    return found


def test_every_byte_of_a_short_stream_is_a_place_and_every_place_is_read_whole() -> None:
    short = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n'
    result = check(Exchange.of_body(short))
    assert (result.framing, result.is_stream) == (Framing.EVENT_STREAM, True)
    assert (result.places, result.is_sample) == (len(short) - 1, False)
    # And once byte by byte, and with each of the two other line ends.
    assert result.whole_readings == len(short) - 1 + 3
    assert (result.is_read_bytewise, result.line_ends) == (True, ("CRLF", "CR"))
    assert (result.differing, result.differences) == (0, ())


@pytest.fixture
def few_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every_split, "WHOLE_READINGS", range(4, 12))


def test_of_a_long_stream_a_sample_is_read_that_is_always_the_same(few_readings: None) -> None:
    long = STREAM[: len(STREAM) - len(b"data: [DONE]\n\n")] * 100
    result = check(Exchange.of_body(long))
    assert (result.places, result.is_sample, result.byte_length) == (20_000, True, len(long))
    assert result.whole_readings == 12 + 3
    assert check(Exchange.of_body(long)) == result


def test_steps_go_on_from_each_other_over_messages(
    few_readings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(every_split, "STEP_COST", 1_000_000)
    exchange = Exchange.of_body(STREAM * 3)
    position, steps = advance(exchange), 0
    while not position.is_done:
        stored = msgspec.msgpack.encode(position)
        position = advance(exchange, msgspec.msgpack.decode(stored, type=type(position)))
        steps += 1
        assert position.done <= position.total
    assert steps > 3
    assert position.result == check(exchange)


class BreaksInCharacters(Splitter):
    """Drops what it has where a read ends inside a character."""

    def feed(self, data: bytes) -> list[Any]:
        items = super().feed(data)
        if data[-1:] >= b"\x80" and data[-1:] != b"\xa9":
            self._pending = []
        return items


def test_a_splitter_that_depends_on_the_cut_is_found_with_both_readings() -> None:
    exchange = Exchange.of_body(STREAM)
    position = advance(exchange)
    while position.places_done < position.result.places:
        position = advance(exchange, position, new_splitter=lambda framing: BreaksInCharacters())
    [difference] = position.result.differences
    inside = STREAM.index(b"\xc3\xa9") + 1
    assert (difference.cutting.byte, difference.pointer) == (inside, "/items")
    assert difference.uncut.startswith('[{"byte_start": 0,')
    assert difference.uncut != difference.cut
    assert position.result.differing == 1


def forgetful(about: Exchange, parts: Sequence[bytes]) -> Reading:
    """Reads a second read that begins with an S as if it were not there."""
    return deliver(about, [parts[0], *(part for part in parts[1:] if part[:1] != b"S")])


def test_a_reading_that_depends_on_the_cut_is_found_with_both_readings() -> None:
    stream = STREAM.replace(b'"H\xc3\xa9"', b'"Say Sing"')
    result = check(Exchange.of_body(stream), read=forgetful)
    # Byte by byte, and before each of the two words.
    assert result.differing == 3
    [bytewise, first, second] = result.differences
    assert bytewise.cutting.words == "is read byte by byte"
    assert first.cutting.byte == stream.index(b"Say")
    assert (first.pointer, first.uncut) == ("/analysis/streamed", "true")
    assert first.cut == "false"
    assert first.sentence == (
        "Our own reading differs at /analysis/streamed where this stream is cut at byte"
        f" {stream.index(b'Say'):,}: true uncut, false cut."
    )
    assert second.cutting.byte == stream.index(b"Sing")


def test_a_reader_of_whole_lines_loses_the_event_that_is_cut() -> None:
    result = reader(check(Exchange.of_body(STREAM)), "lines-per-read")
    assert result.events == 3
    assert result.tried == len(STREAM) - 1 + 3
    assert result.examples[0].sentence == (
        "A reader that takes each read for whole lines loses 3 events from event 0 on"
        " where this stream is read byte by byte."
    )
    at_bytes = [each for each in result.examples if each.cutting.byte is not None]
    assert at_bytes[0].sentence == (
        "A reader that takes each read for whole lines loses event 0"
        " where this stream is cut at byte 1."
    )
    # All are counted, and some told: of each event the first cut that loses or alters it.
    assert [(each.kind, each.event) for each in at_bytes] == [
        ("loses", 0),
        ("alters", 0),
        ("loses", 1),
    ]


def test_a_reader_of_whole_lines_reads_an_event_otherwise_that_is_cut_in_its_data() -> None:
    plan = SplitPlan(Exchange.of_body(STREAM))
    [lines, events, decodes] = plan.hand_readers()
    at = STREAM.index(b"finish_reason")
    parts = [STREAM[:at], STREAM[at:]]
    assert lines.read(parts).values == [HELLO[: at - 6], STOP, b"[DONE]"]
    assert events.read(parts).values == [HELLO[: at - 6], STOP, b"[DONE]"]
    assert decodes.read(parts).values == [HELLO, STOP, b"[DONE]"]


def test_a_reader_that_decodes_each_read_fails_inside_a_character() -> None:
    result = reader(check(Exchange.of_body(STREAM)), "utf-8-per-read")
    inside = STREAM.index(b"\xc3\xa9") + 1
    at_bytes = [each for each in result.examples if each.cutting.byte is not None]
    assert [each.cutting.byte for each in at_bytes] == [inside]
    assert at_bytes[0].sentence == (
        "A reader that decodes each read as UTF-8 by itself fails with UnicodeDecodeError at"
        f" event 0 where this stream is cut at byte {inside}."
    )
    # Byte by byte, and inside the character.
    assert result.broken == 2


def test_a_reader_of_lf_alone_reads_nothing_of_a_stream_with_crlf_uncut() -> None:
    result = check(Exchange.of_body(STREAM.replace(b"\n", b"\r\n")))
    found = reader(result, "events-per-read")
    assert (found.state, found.tried) == ("breaks-uncut", 0)
    assert found.sentence == (
        "A reader that takes each read for whole events with LF line ends gives 1 of 3 events"
        " even where nothing is cut."
    )
    assert result.differing == 0
    assert result.line_ends == ("LF", "CR")


def test_event_numbers_are_those_of_the_tape_comments_included() -> None:
    result = reader(check(Exchange.of_body(b": hello\n\n" + STREAM)), "lines-per-read")
    at_bytes = [each for each in result.examples if each.cutting.byte is not None]
    assert [each.event for each in at_bytes] == [1, 1, 2]


@pytest.mark.parametrize(
    "body", [STREAM, b": hi\n\n" + STREAM.replace(b"\n", b"\r\n"), OLLAMA], ids=repr
)
def test_hand_readers_give_at_each_cut_what_they_give_for_the_whole_body(body: bytes) -> None:
    """Cuts are tried on the part of the body that they are in; the whole body gives the same."""
    plan, result = SplitPlan(Exchange.of_body(body)), check(Exchange.of_body(body))
    for one in plan.hand_readers():
        found = reader(result, one.slug)
        if found.state == "tried":
            due = one.read([body]).values
            whole = [one.read([body[:at], body[at:]]) for at in range(1, len(body))]
            others = [one.read(each.parts(body)) for each in plan.other_deliveries()]
            broken = [each for each in (*whole, *others) if each.fault or each.values != due]
            assert found.broken == len(broken)


def test_lines_of_json_are_cut_with_their_own_readers() -> None:
    result = check(Exchange.of_body(OLLAMA))
    assert (result.framing, result.is_stream, result.differing) == ("lines", True, 0)
    assert result.line_ends == ("CRLF",)
    assert {each.slug for each in result.readers} == {
        "json-lines-per-read",
        "utf-8-lines-per-read",
    }
    assert reader(result, "utf-8-lines-per-read").broken == 2


def test_frames_have_no_line_ends() -> None:
    body = frame("messageStart", b'{"role":"assistant"}') + frame(
        "messageStop", b'{"stopReason":"end_turn"}'
    )
    result = check(Exchange.of_body(body, CONTENT_TYPE))
    assert (result.framing, result.line_ends, result.differing) == ("event-frames", (), 0)
    found = reader(result, "frames-per-read")
    # All places but the one between both frames; and byte by byte.
    assert (found.events, found.broken) == (2, len(body) - 2 + 1)


def test_of_a_whole_body_line_ends_alone_are_tried() -> None:
    result = check(Exchange.of_body(COMPLETION))
    assert (result.is_stream, result.places, result.readers) == (False, 0, ())
    assert (result.whole_readings, result.line_ends) == (2, ("CRLF", "CR"))
    assert result.differing == 0


def test_of_a_whole_body_in_one_line_nothing_is_tried() -> None:
    result = check(Exchange.of_body(COMPLETION.replace(b"\n", b"")))
    assert (result.whole_readings, result.line_ends) == (0, ())


def test_of_json_that_is_broken_no_line_ends_are_changed() -> None:
    result = check(Exchange.of_body(COMPLETION.replace(b'"Hi"', b'"Hi\nyou"')))
    assert (result.whole_readings, result.line_ends) == (0, ())


def test_a_stream_that_is_compressed_is_cut_as_it_was_sent_too() -> None:
    exchange = Exchange.of_body(gzip.compress(STREAM, mtime=0))
    result = check(exchange)
    assert result.byte_length == len(decompressed(exchange).body)
    assert result.places == len(STREAM) - 1
    cuttings = SplitPlan(exchange).whole_cuttings()
    coded = [each for each in cuttings if each.is_coded]
    assert len(coded) == 50
    assert coded[0].words == "is cut at byte 1 in its compressed form"
    assert result.whole_readings == len(cuttings)
    assert result.differing == 0


def test_arguments_keep_the_line_ends_of_the_json_that_they_are() -> None:
    body = b'[{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{\n"a":1}}}],"role":"model"},"index":0}]},\n{"candidates":[{"content":{"parts":[],"role":"model"},"finishReason":"STOP","index":0}]}]'
    result = check(Exchange.of_body(body))
    assert (result.framing, result.differing) == ("array", 0)
    assert result.line_ends == ("CRLF", "CR")


@pytest.mark.parametrize("body", [b"", b" ", b"\xef\xbb", b"data", b"hello\n", b"\0" * 20])
def test_what_nobody_would_send_is_split_too(body: bytes) -> None:
    assert check(Exchange.of_body(body)).differing == 0


def test_framings_without_a_splitter_are_only_collected() -> None:
    assert splitter_of(Framing.LINES) is None
