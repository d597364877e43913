import msgspec
import pytest

from inspector.archive import readouts
from inspector.archive.readouts import MEMBER_CHARACTERS, StoredReadout, TruncatedValue
from inspector.archive.storage.compression import compressed
from inspector.core.readout import Readout, readout
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import STREAM

HALF = (
    rb'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"\ud800 \u0000"}}]}'
)
HUGE = b'{"object":"chat.completion","choices":[],"usage":{"prompt_tokens":1%s}}' % (b"0" * 30)
HALF_STREAM = STREAM.replace(b"Hel", rb"\ud800")


def read(body: bytes) -> Readout:
    return readout(Exchange.of_body(body))


def packed_and_loaded(found: Readout) -> StoredReadout:
    loaded = readouts.load(readouts.pack(found))
    assert loaded is not None
    return loaded


def cut(body: bytes) -> StoredReadout:
    return readouts.cut(StoredReadout(read(body).analysis))


def whole(content: str, more: str = "") -> bytes:
    return (
        '{"object":"chat.completion","model":"m","choices":[{"index":0,"message":'
        f'{{"role":"assistant","content":"{content}"}},"finish_reason":"stop"}}]{more}}}'
    ).encode()


def with_logprobs(logprobs: bytes) -> bytes:
    return whole("Hi").replace(b'"finish_reason"', b'"logprobs":%s,"finish_reason"' % logprobs)


LOGPROBS = b'{"content":[{"token":"Hi","logprob":-0.5}]}'


@pytest.mark.parametrize(
    "body",
    [
        whole("Hello"), with_logprobs(LOGPROBS), with_logprobs(b"null"), STREAM, HALF, HALF_STREAM,
        HUGE, b"", b"\xff\xfe", b"[1,2", b"<html>",
    ],
)  # fmt: skip
def test_what_is_loaded_is_what_was_read(body: bytes) -> None:
    found = read(body)
    assert packed_and_loaded(found) == StoredReadout(found.analysis, found.tape, found.snapshots)


def test_a_lane_of_snapshots_keeps_them() -> None:
    found = msgspec.structs.replace(read(HALF_STREAM), snapshots={3: ("a", "\ud800")})
    assert packed_and_loaded(found).snapshots == {3: ("a", "\ud800")}


@pytest.mark.parametrize(
    "packed",
    [b"", b"no zstd", compressed(b""), compressed(b"{"), compressed(b"[1]"), compressed(b"\xc1"),
     compressed(b'{"analysis":{"verdict":"blue"}}'), readouts.pack(read(STREAM))[:-9]],
)  # fmt: skip
def test_what_is_damaged_or_of_an_unknown_shape_is_not_loaded(packed: bytes) -> None:
    assert readouts.load(packed) is None
    assert readouts.without_tape(packed) is None


def test_without_its_tape_the_analysis_is_the_same() -> None:
    found = read(STREAM)
    left = readouts.load(readouts.without_tape(readouts.pack(found)) or b"")
    assert left == StoredReadout(found.analysis)


def test_a_readout_over_the_bound_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(whole("a" * 100_000))
    assert packed_and_loaded(found).cuts == ()
    monkeypatch.setattr(readouts, "SMALL_BYTES", 0)
    assert packed_and_loaded(found).cuts == ()
    monkeypatch.setattr(readouts, "READOUT_BYTES", 200_000)
    stored = packed_and_loaded(found)
    assert stored.cuts == (
        TruncatedValue("/choices/0/content", 100_000),
        TruncatedValue("/choices/0/blocks/0/text", 100_000),
    )
    assert stored.analysis.choices[0].content == "a" * 65_536
    assert (stored.tape, stored.analysis.completion) == (None, None)


def test_many_small_values_take_more_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of one byte each take sixty where they are loaded."""
    found = read(whole("Hi", ',"x":[%s[]]' % ("[]," * 3_000)))
    monkeypatch.setattr(readouts, "SMALL_BYTES", 0)
    monkeypatch.setattr(readouts, "READOUT_MEMORY", 100_000)
    assert TruncatedValue("/extras/~1x", 3_001) in packed_and_loaded(found).cuts
    monkeypatch.setattr(readouts, "READOUT_MEMORY", 1_000_000)
    assert packed_and_loaded(found).cuts == ()


def test_of_logprobs_that_are_cut_the_tokens_are_counted() -> None:
    found = cut(with_logprobs(LOGPROBS))
    assert found.analysis.choices[0].logprobs is msgspec.UNSET
    assert found.cuts == (TruncatedValue("/choices/0/logprobs", 1),)
    assert cut(with_logprobs(b"null")).analysis.choices[0].logprobs is None


def test_of_many_choices_the_first_are_kept() -> None:
    body = b'{"object":"chat.completion","choices":[' + b",".join([b"{}"] * 5_000) + b"]}"
    found = cut(body)
    assert len(found.analysis.choices) == 1_000
    assert TruncatedValue("/choices", 5_000) in found.cuts


def test_pointers_of_cuts_are_escaped_as_json_pointers_are() -> None:
    (found,) = cut(whole("Hi", ',"a/b~c":"' + "x" * 70_000 + '"')).cuts
    assert found.length == 70_000
    # The name of an extra is a pointer itself, escaped once more to be a step of another one.
    assert found.pointer == "/extras/~1a~01b~00c"


def test_many_long_texts_leave_room_for_what_else_there_is_to_tell() -> None:
    texts = [f'{{"index":{n},"message":{{"content":"{"a" * 60_000}"}}}}' for n in range(60)]
    body = f'{{"object":"chat.completion","choices":[{",".join(texts)}],"x":1}}'.encode()
    found = cut(body)
    kept = found.analysis.choices
    assert sum(len(choice.content) for choice in kept) <= MEMBER_CHARACTERS + 60_000  # type: ignore[arg-type]
    assert TruncatedValue("/choices", 60) in found.cuts
    assert found.analysis.findings == read(body).analysis.findings
    assert found.analysis.extras == {"/x": 1}


def test_a_value_that_branches_is_cut_where_there_is_no_more_room() -> None:
    wide = {f"k{n}": {f"k{m}": [1] * 900 for m in range(90)} for n in range(9)}
    body = msgspec.json.encode({"object": "chat.completion", "choices": [], "x": wide, "y": 2})
    found = cut(body)
    assert len(msgspec.json.encode(found.analysis.extras)) <= MEMBER_CHARACTERS
    assert TruncatedValue("/extras", 2) in found.cuts
    assert len(found.cuts) < 10
