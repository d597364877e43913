"""Parts that a stored analysis keeps when the body is deleted."""

import msgspec
import pytest

from inspector.archive import readouts
from inspector.archive.readouts import StoredReadout, TruncatedValue
from inspector.archive.storage import stripped_document
from inspector.archive.storage.compression import compressed
from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, ToolCall, Usage
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange


def kept(analysis: Analysis) -> StoredReadout:
    packed = stripped_document.strip(readouts.pack_stored(StoredReadout(analysis)))
    found = readouts.load(packed) if packed else None
    assert found is not None
    return found


def kept_texts(analysis: Analysis) -> bytes:
    return msgspec.json.encode(kept(analysis).analysis)


def test_whatever_the_body_says_beyond_counts_and_codes_goes() -> None:
    body = (
        '{"id":"c","object":"chat.completion","created":1,"model":"m","CANARY-extra":"CANARY",'
        '"choices":[{"index":0,"CANARY":"CANARY","message":{"role":"assistant","content":"CANARY",'
        '"refusal":"CANARY","reasoning_content":"CANARY","annotations":[{"type":"CANARY"}],'
        '"tool_calls":[{"id":"CANARY","type":"function","CANARY":1,"function":{"name":"CANARY",'
        '"arguments":"{\\"CANARY\\": CANARY}"}}],'
        '"function_call":{"name":"CANARY","arguments":"{\\"CANARY\\": 1}"}},'
        '"logprobs":{"content":[{"token":"CANARY","logprob":-1,"top_logprobs":[]}]},'
        '"finish_reason":{"why":"CANARY"}}],'
        '"usage":{"prompt_tokens":3,"completion_tokens":"CANARY","total_tokens":5,'
        '"cost":{"CANARY":"CANARY"}}}'
    )
    analysis = analyze(Exchange.of_body(body.encode(), "application/json"))
    assert b"CANARY" in msgspec.json.encode(analysis)
    left = kept_texts(analysis)
    assert b"CANARY" not in left
    assert b'"prompt_tokens":3' in left and b'"model":"m"' in left


@pytest.mark.parametrize("name", ["text", "content", "reasoning", "refusal"])
def test_an_emptied_text_differs_from_an_absent_one(name: str) -> None:
    given = StoredReadout(
        msgspec.structs.replace(
            analyze(Exchange.of_body(b"{}", "application/json")),
            choices=(Choice(index=0, **{name: "four"}), Choice(index=1)),
        )
    )
    found = stripped_document.stripped(given)
    first, second = found.analysis.choices
    assert getattr(first, name) == "" and getattr(second, name) is msgspec.UNSET
    assert found.cuts == (TruncatedValue(f"/choices/0/{name}", 4),)


def test_a_text_that_was_cut_before_keeps_its_whole_length() -> None:
    analysis = msgspec.structs.replace(
        analyze(Exchange.of_body(b"{}", "application/json")),
        choices=(Choice(index=0, content="a" * 70_000, tool_calls=(ToolCall(index=0, name="f"),)),),
        usage=Usage(reported=True, prompt_tokens=1),
    )
    cut = readouts.cut(StoredReadout(analysis))
    left = stripped_document.stripped(cut)
    cuts = {cut.pointer: cut.length for cut in left.cuts}
    assert cuts == {"/choices/0/content": 70_000, "/choices/0/tool_calls/0/name": 1}


def test_one_of_an_unknown_shape_is_left() -> None:
    packed = compressed(b'{"analysis":{"dialect":7},"cuts":[]}')
    assert stripped_document.strip(packed) is None
