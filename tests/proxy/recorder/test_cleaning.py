"""Files of a call: wherever its credentials are cut, none of their bytes is there."""

import gzip
import zlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.wire.exchange import Headers, TransportOutcome
from inspector.proxy.messages import CallBegun
from inspector.proxy.recorder.call_spool import CallReads, CallRecord, framed, whole_records
from inspector.proxy.recorder.cleaning import CallCleaner
from inspector.proxy.recorder.spooled_call import SpooledCall, spooled_call
from tests.proxy.recorder.spoken import KEY, SSE, URL, answered, asked, begun, came, ended, keyed

MIN_SEEN = 8
"""As many characters of a credential as nobody could use."""


def records_of(
    first: CallBegun,
    pieces: Sequence[bytes],
    headers: Headers = SSE,
    request_body: bytes = b"{}",
    byte_length: int | None = None,
) -> list[CallRecord]:
    cleaner = CallCleaner(first, keyed, is_in_sample=True)
    pk = first.call
    length = sum(map(len, pieces)) if byte_length is None else byte_length
    end = ended(pk, length)
    return [
        cleaner.head,
        cleaner.request_body(asked(pk, request_body)),
        cleaner.response_head(answered(pk, headers=headers)),
        *filter(None, [cleaner.reads(came(pk, piece)) for piece in pieces]),
        *cleaner.end(end),
    ]


def read_back(records: Sequence[CallRecord]) -> SpooledCall:
    found, _ = whole_records(b"".join(map(framed, records)))
    assert found == list(records)
    call = spooled_call(found)
    assert call is not None
    return call


def is_anywhere(secret: str, records: Sequence[CallRecord]) -> bool:
    """Whether any part of it that could be of use stands in any record."""
    data = b"".join(map(framed, records))
    parts = [secret[at : at + MIN_SEEN] for at in range(len(secret) - MIN_SEEN + 1)]
    return any(part.encode() in data for part in parts)


def test_headers_and_the_address_say_that_something_was_removed() -> None:
    first = begun(
        url=f"{URL}?key=AIzaSyB-0123456789abcdef0123456789abcde&alt=sse",
        headers=(("Authorization", f"Bearer {KEY}"), ("Cookie", "a=b1"), ("accept", "*/*")),
    )
    call = read_back(records_of(first, [], headers=(("set-cookie", "s=abcdef"), ("x-a", KEY))))
    assert call.request.url == f"{URL}?key=[removed]&alt=sse"
    assert call.request.headers == (
        ("Authorization", "[removed]"),
        ("Cookie", "[removed]"),
        ("accept", "*/*"),
    )
    assert call.headers == (("set-cookie", "[removed]"), ("x-a", "[removed]"))
    removal = call.removal
    assert (removal.request_headers, removal.address, removal.response_headers) == (2, 1, 2)


def test_the_requests_body_does_not_repeat_it() -> None:
    body = b'{"user":"' + KEY.encode() + b'","api_key":"0123"}'
    call = read_back(records_of(begun(), [], request_body=body))
    masked = b'{"user":"' + b"*" * len(KEY) + b'","api_key":"****"}'
    assert call.request.body == masked
    assert call.removal.request_body == 2
    assert call.removal.request_body_was is not None


@pytest.mark.parametrize(
    "spelt", [KEY, KEY.replace("/", "\\/"), KEY.replace("a", "\\u0061"), KEY.replace("/", "%2F")]
)
def test_a_key_that_the_answer_repeats_is_in_no_record_wherever_it_is_cut(spelt: str) -> None:
    body = b'data: {"error":"the key ' + spelt.encode() + b' is wrong"}\n\n'
    wanted = b'data: {"error":"the key ' + b"*" * len(spelt) + b' is wrong"}\n\n'
    for place in range(len(body) + 1):
        records = records_of(begun(), [body[:place], body[place:]])
        assert not is_anywhere(KEY, records)
        assert not is_anywhere(spelt, records)
        call = read_back(records)
        assert call.recording().exchange.body == wanted
        assert (call.removal.response_body, call.removal.response_body_was is None) == (1, False)


@given(st.lists(st.sampled_from([KEY[:9], KEY[9:], KEY, "data: ", "\\", "u0073", "\n\n"])))
def test_a_key_is_in_no_record_however_it_comes(pieces: list[str]) -> None:
    records = records_of(begun(), [piece.encode() for piece in pieces])
    data = b"".join(map(framed, records))
    assert KEY.encode() not in data
    whole = "".join(pieces).encode()
    body = read_back(records).recording().exchange.body
    assert len(body) == len(whole)
    assert all(kept in (sent, 0x2A) for kept, sent in zip(body, whole, strict=True))


@pytest.mark.parametrize("wbits", [31, 15])
def test_a_compressed_answer_that_repeats_it_is_kept_decompressed(wbits: int) -> None:
    coder = zlib.compressobj(wbits=wbits)
    plain = [b'data: {"n":1}\n\n', b"data: " + KEY[:12].encode(), KEY[12:].encode() + b"\n\n"]
    pieces = [coder.compress(each) + coder.flush(zlib.Z_SYNC_FLUSH) for each in plain]
    pieces.append(coder.flush())
    name = {31: "gzip", 15: "deflate"}[wbits]
    records = records_of(begun(), pieces, headers=(*SSE, ("Content-Encoding", name)))
    assert not is_anywhere(KEY, records)
    exchange = read_back(records).recording().exchange
    stars = b"*" * len(KEY)
    assert exchange.body == b'data: {"n":1}\n\ndata: ' + stars + b"\n\n"
    assert exchange.headers == SSE
    assert [len(read.data) for read in exchange.reads] == [15, 18, len(KEY) - 12 + 2, 0]
    assert read_back(records).removal.decoded_from == name
    # The first read was written before, as it had come; compressed, nobody finds the key in it.
    flags = [record.is_decoded for record in records if isinstance(record, CallReads)]
    assert flags == sorted(flags) and flags[-1]


def test_a_compressed_answer_without_it_is_kept_as_it_came() -> None:
    body = gzip.compress(b'{"fine":1}' * 100)
    headers = (("content-encoding", "gzip"),)
    call = read_back(records_of(begun(), [body[:5], body[5:]], headers=headers))
    exchange = call.recording().exchange
    assert (exchange.body, exchange.headers, exchange.total_bytes) == (body, headers, None)


def test_times_count_from_the_request_and_are_never_zero() -> None:
    first = begun()
    cleaner = CallCleaner(first, keyed, is_in_sample=True)
    early = cleaner.reads(came(first.call, b"a", b"b", from_us=-5))
    assert early is not None
    assert early.at_us == [1, 5]


def test_an_answer_that_was_not_kept_whole_is_capped_and_says_its_length() -> None:
    records = records_of(begun(), [b"abc"], byte_length=10)
    exchange = read_back(records).recording().exchange
    assert (exchange.outcome, exchange.total_bytes) == (TransportOutcome.CAPPED, 10)


def test_an_answer_that_ends_inside_a_key_does_not_keep_its_beginning() -> None:
    records = records_of(begun(), [b"the key " + KEY[:20].encode()], byte_length=1000)
    assert not is_anywhere(KEY, records)
    assert read_back(records).recording().exchange.body == b"the key " + b"*" * 20


def test_a_call_that_nobody_ended_was_cut_by_the_recorder() -> None:
    records = records_of(begun(), [b"data: 1\n\n", b"data: 2\n\n"])
    exchange = read_back(records[:-2]).recording().exchange
    assert (exchange.outcome, exchange.body) == (TransportOutcome.RECORDER_STOPPED, b"data: 1\n\n")


def test_a_request_that_was_not_kept_whole_says_its_length() -> None:
    first = begun()
    cleaner = CallCleaner(first, keyed, is_in_sample=True)
    sent = asked(first.call, b"begins")
    cut = cleaner.request_body(type(sent)(first.call, b"begins", 9_000_000))
    assert (cut.data, cut.total_bytes) == (b"begins", 9_000_000)
    assert cleaner.request_body(sent).total_bytes is None


def test_metadata_of_the_caller_is_kept_without_the_credential_of_the_call() -> None:
    metadata = {"release": "2026.11", "with": f"key {KEY}"}
    records = records_of(begun(tags=("checkout",), metadata=metadata), [b"{}"])
    assert not is_anywhere(KEY, records)
    recording = read_back(records).recording()
    assert (recording.tags, recording.metadata["release"]) == (("checkout",), "2026.11")
    assert recording.removal.metadata == 1
