"""What watchers of one running answer are told, whichever way its reads come."""

import gzip
import json
import zlib

import msgspec
import uuid6

from inspector.core.wire.exchange import Exchange, Headers, Read
from inspector.proxy.recorder.call_spool import CallReads, CallResponseHead, read_call
from inspector.proxy.viewer.live_reading import LiveReading, Strand, WatchPosition
from tests.proxy.viewer.viewing import ANSWERED, END, NOTHING, SSE, SpoolFile, chunk, reads

SENT_AT = 1_770_000_000.0
GZIP: Headers = (*SSE, ("content-encoding", "gzip"))


def reading() -> LiveReading:
    return LiveReading(lambda: SENT_AT + 5.0)


def texts(live: LiveReading, position: WatchPosition | None) -> tuple[WatchPosition, str]:
    found = live.since(position)
    assert found is not None
    return found[0], "".join(more for _, more in json.loads(found[1])["texts"])


def compressed(*parts: bytes) -> list[bytes]:
    """Each part can be decompressed as soon as it came."""
    coder = zlib.compressobj(wbits=31)
    return [coder.compress(part) + coder.flush(zlib.Z_SYNC_FLUSH) for part in parts]


def test_each_watcher_is_told_what_came_since_its_own_position():
    live, strand = reading(), Strand()
    live.add(strand, [ANSWERED, reads(chunk("one "))], SENT_AT)
    early, text = texts(live, None)
    assert text == "one "
    live.add(strand, [reads(chunk("two "), at_us=2000)], SENT_AT)
    live.add(strand, [reads(chunk("three"), at_us=3000)], SENT_AT)
    assert texts(live, early) == (texts(live, None)[0], "two three")
    assert texts(live, None)[1] == "one two three"


def test_who_has_everything_is_told_nothing():
    live = reading()
    live.add(Strand(), [ANSWERED, reads(chunk("one"))], SENT_AT)
    position, _ = texts(live, None)
    assert live.since(position) is None


def test_what_is_new_is_encoded_once_for_all():
    live = reading()
    live.add(Strand(), [ANSWERED, reads(chunk("one"))], SENT_AT)
    first, second = live.since(None), live.since(None)
    assert first is not None and second is not None and first[1] is second[1]


def test_before_anything_came_a_watcher_is_told_that_there_is_nothing():
    position, text = texts(reading(), None)
    assert text == "" and reading().since(position) is None


def test_a_compressed_answer_is_read_as_it_is_decompressed():
    live, strand = reading(), Strand()
    first, second = compressed(chunk("one "), chunk("two"))
    head = CallResponseHead(status=200, headers=GZIP, removal=NOTHING)
    live.add(strand, [head, reads(first)], SENT_AT)
    position, text = texts(live, None)
    live.add(strand, [reads(second, at_us=2000)], SENT_AT)
    assert (text, texts(live, position)[1]) == ("one ", "two")


def test_where_the_spool_goes_on_decompressed_all_starts_over_with_what_came_before():
    live, strand = reading(), Strand()
    (first,) = compressed(chunk("one "))
    head = CallResponseHead(status=200, headers=GZIP, removal=NOTHING)
    live.add(strand, [head, reads(first)], SENT_AT)
    position, _ = texts(live, None)
    live.add(strand, [reads(chunk("two "), at_us=2000, is_decoded=True)], SENT_AT)
    found = live.since(position)
    assert found is not None
    told = json.loads(found[1])
    assert told["starts_over"] is True and told["texts"] == [[0, "one two "]]
    live.add(strand, [reads(chunk("three"), at_us=3000, is_decoded=True)], SENT_AT)
    assert texts(live, found[0])[1] == "three"


def test_a_read_that_came_another_way_before_is_not_taken_twice():
    live = reading()
    both = [chunk("one "), chunk("two ")]
    about = Exchange(reads=(), status_code=200, headers=SSE, content_type=SSE[0][1])
    stored = [Read(1000 * place, data) for place, data in enumerate(both, 1)]
    live.add_stored(Strand(), about, SENT_AT, stored)
    live.add(Strand(), [ANSWERED, reads(*both, chunk("three"))], SENT_AT)
    assert texts(live, None)[1] == "one two three"


def test_the_time_since_the_request_counts_from_when_reads_were_seen():
    live = reading()
    # Seen 0.2 s after it came, and 0.1 s: the request was sent at SENT_AT - 0.9 s at the latest.
    late = CallReads(at_us=[500_000], data=[chunk("a")])
    soon = CallReads(at_us=[1_000_000], data=[chunk("b")])
    strand = Strand()
    live.add(strand, [ANSWERED, late], SENT_AT - 0.2)
    live.add(strand, [soon], SENT_AT + 0.1)
    assert live.now_us == 5_900_000


def test_before_the_first_read_the_time_counts_from_the_beginning_of_the_request(tmp_path):

    file = SpoolFile(tmp_path, uuid6.uuid7())
    file.begin()
    live = reading()
    live.add(Strand(), read_call(file.path)[0], SENT_AT)
    assert live.now_us == 5_000_000


def test_the_end_is_known_and_what_came_with_it_is_told():
    live = reading()
    live.add(Strand(), [ANSWERED, reads(chunk("one")), END], SENT_AT)
    assert live.is_ended and texts(live, None)[1] == "one"


def test_a_whole_body_grows_without_being_an_event_stream():
    live, strand = reading(), Strand()
    head = CallResponseHead(
        status=200, headers=(("content-type", "application/json"),), removal=NOTHING
    )
    live.add(strand, [head, reads(b'{"object":')], SENT_AT)
    position, _ = texts(live, None)
    live.add(strand, [reads(b'"chat.completion"}', at_us=2000)], SENT_AT)
    found = live.since(position)
    assert found is not None
    assert json.loads(found[1])["head"]["byte_length"] == len(b'{"object":"chat.completion"}')


def test_bytes_that_are_no_gzip_break_nothing():
    live = reading()
    head = CallResponseHead(status=200, headers=GZIP, removal=NOTHING)
    live.add(Strand(), [head, reads(b"no gzip at all", gzip.compress(b"x")[:5])], SENT_AT)
    assert live.since(None) is not None
    assert msgspec.json.decode(live.since(None)[1])["starts_over"] is True
