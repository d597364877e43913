import msgspec
import pytest

from inspector.archive.storage import document
from inspector.archive.storage.document import MEMBER_CHARACTERS, TruncatedValue
from inspector.core.analysis import Analysis
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange

HALF = (
    rb'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"\ud800 \u0000"}}]}'
)


def analysis_of(body: bytes) -> Analysis:
    return analyze(Exchange.of_body(body))


def whole(content: str, more: str = "") -> bytes:
    return (
        '{"object":"chat.completion","model":"m","choices":[{"index":0,"message":'
        f'{{"role":"assistant","content":"{content}"}},"finish_reason":"stop"}}]{more}}}'
    ).encode()


@pytest.mark.parametrize("body", [whole("Hello"), HALF, b"", b"\xff\xfe", b"[1,2", b"<html>"])
def test_a_document_gives_back_the_analysis_it_was_made_from(body: bytes) -> None:
    analysis = analysis_of(body)
    unpacked = document.unpack(document.pack(analysis))
    assert unpacked.analysis == msgspec.structs.replace(analysis, completion=None)
    assert unpacked.cuts == ()


def test_the_completion_is_not_stored_twice() -> None:
    assert analysis_of(whole("Hello")).completion is not None
    assert document.unpack(document.pack(analysis_of(whole("Hello")))).analysis.completion is None


def with_logprobs(logprobs: bytes) -> bytes:
    return whole("Hi").replace(b'"finish_reason"', b'"logprobs":%s,"finish_reason"' % logprobs)


def test_logprobs_are_left_to_the_evidence_and_their_tokens_are_counted() -> None:
    analysis = analysis_of(with_logprobs(b'{"content":[{"token":"Hi","logprob":-0.5}]}'))
    unpacked = document.unpack(document.pack(analysis))
    assert unpacked.analysis.choices[0].logprobs is msgspec.UNSET
    assert unpacked.cuts == (TruncatedValue("/choices/0/logprobs", 1),)


def test_logprobs_that_were_null_stay_null() -> None:
    unpacked = document.unpack(document.pack(analysis_of(with_logprobs(b"null"))))
    assert unpacked.analysis.choices[0].logprobs is None
    assert unpacked.cuts == ()


def test_a_long_text_is_cut_and_the_cut_is_noted() -> None:
    analysis = analysis_of(whole("a" * 100_000))
    unpacked = document.unpack(document.pack(analysis))
    assert unpacked.analysis.choices[0].content == "a" * 65_536
    assert unpacked.cuts == (TruncatedValue("/choices/0/content", 100_000),)


def test_many_choices_make_a_bounded_document() -> None:
    body = b'{"object":"chat.completion","choices":[' + b",".join([b"{}"] * 5_000) + b"]}"
    analysis = analysis_of(body)
    unpacked = document.unpack(document.pack(analysis))
    assert len(analysis.choices) == 5_000
    assert len(unpacked.analysis.choices) == 1_000
    assert TruncatedValue("/choices", 5_000) in unpacked.cuts


def test_pointers_of_cuts_are_escaped_as_json_pointers_are() -> None:
    analysis = analysis_of(whole("Hi", ',"a/b~c":"' + "x" * 70_000 + '"'))
    (cut,) = document.unpack(document.pack(analysis)).cuts
    assert cut.length == 70_000
    # The name of an extra is a pointer itself, escaped once more to be a step of another one.
    assert cut.pointer == "/extras/~1a~01b~00c"


def with_calls(number: int) -> bytes:
    calls = b",".join([b'{"function":{"name":"f","arguments":"[1,2]"}}'] * number)
    return (
        b'{"object":"chat.completion","choices":[{"index":0,"message":{"tool_calls":[%s]}}]}'
        % calls
    )


def test_many_long_texts_leave_room_for_what_else_there_is_to_tell() -> None:
    texts = [f'{{"index":{n},"message":{{"content":"{"a" * 60_000}"}}}}' for n in range(60)]
    body = f'{{"object":"chat.completion","choices":[{",".join(texts)}],"x":1}}'.encode()
    unpacked = document.unpack(document.pack(analysis_of(body)))
    kept = unpacked.analysis.choices
    assert sum(len(choice.content) for choice in kept) <= MEMBER_CHARACTERS + 60_000  # type: ignore[arg-type]
    assert TruncatedValue("/choices", 60) in unpacked.cuts
    assert unpacked.analysis.findings == analysis_of(body).findings
    assert unpacked.analysis.extras == {"/x": 1}


def test_a_value_that_branches_is_cut_where_there_is_no_more_room() -> None:
    wide = {f"k{n}": {f"k{m}": [1] * 900 for m in range(90)} for n in range(9)}
    body = msgspec.json.encode({"object": "chat.completion", "choices": [], "x": wide, "y": 2})
    packed = document.unpack(document.pack(analysis_of(body)))
    text = msgspec.json.encode(packed.analysis.extras)
    assert len(text) <= MEMBER_CHARACTERS
    assert TruncatedValue("/extras", 2) in packed.cuts
    assert len(packed.cuts) < 10


@pytest.mark.thorough
def test_an_answer_of_ordinary_length_is_in_full_and_a_very_long_one_as_it_would_be_stored() -> (
    None
):
    ordinary, long = analysis_of(with_calls(1)), analysis_of(with_calls(9_000))
    assert document.analysis_for_response(ordinary) == document.StoredAnalysis(ordinary, ())
    assert document.analysis_for_response(long) == document.unpack(document.pack(long))
    assert len(document.analysis_for_response(long).analysis.choices[0].tool_calls) == 1_000
    assert (
        TruncatedValue("/choices/0/tool_calls", 9_000) in document.analysis_for_response(long).cuts
    )
