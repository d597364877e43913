"""The blocks of a chat message, whose parts stand in fields of their own."""

from inspector.core.completion import BlockKind
from inspector.core.findings import Where
from tests.core.bodies import ROLE, STOP, analysis, chat_stream, choice, completion, delta, reading

CALL = b'{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}'


def kinds(body: bytes) -> list[BlockKind]:
    return [block.kind for block in analysis(body).choices[0].blocks]


def test_blocks_of_a_stream_stand_in_the_order_of_their_first_characters() -> None:
    body = chat_stream(
        delta(b'"tool_calls":[%s]' % CALL),
        delta(b'"content":"then"'),
        delta(b'"reasoning":"last"'),
        STOP,
    )
    assert kinds(body) == [BlockKind.TOOL_CALL, BlockKind.TEXT, BlockKind.REASONING]


def test_in_a_whole_body_reasoning_comes_before_content_and_content_before_calls() -> None:
    body = completion(
        choice(b'"tool_calls":[%s],"content":"then","reasoning_content":"first"' % CALL)
    )
    assert kinds(body) == [BlockKind.REASONING, BlockKind.TEXT, BlockKind.TOOL_CALL]


def test_empty_texts_are_no_blocks() -> None:
    assert kinds(completion(choice(b'"content":"","refusal":null,"reasoning":""'))) == []


def test_a_block_names_its_lane_its_place_and_its_call() -> None:
    done = reading(chat_stream(delta(b'"content":"a"'), delta(b'"tool_calls":[%s]' % CALL), STOP))
    text, call = done.analysis().choices[0].blocks
    assert (text.text, text.lane) == ("a", 0)
    assert text.places == (Where(event=0, pointer="/choices/0/delta/content"),)
    assert (call.type, call.lane, call.tool_call) == ("function", 1, 0)
    assert call.places == (Where(event=1, pointer="/choices/0/delta/tool_calls/0"),)
    assert [lane.tool_call for lane in done.tape().lanes] == [None, 0]


def test_parts_of_a_list_are_blocks_of_their_own() -> None:
    body = completion(
        choice(
            b'"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},'
            b'{"type":"text","text":"see "},{"type":"reference","reference_ids":[1]},'
            b'{"type":"image_url","image_url":"x"},{"type":"tune"},"odd"]'
        )
    )
    found = analysis(body).choices[0].blocks
    assert [(block.kind, block.text) for block in found[:2]] == [
        (BlockKind.REASONING, "hm"),
        (BlockKind.TEXT, "see "),
    ]
    assert [block.kind for block in found[2:]] == [
        BlockKind.CITATION,
        BlockKind.IMAGE,
        BlockKind.UNKNOWN,
        BlockKind.UNKNOWN,
    ]
    assert found[2].value == {"type": "reference", "reference_ids": [1]}


def test_reasoning_beside_a_list_of_parts_is_a_block_unless_parts_have_it() -> None:
    parts = b'"content":[%b{"type":"text","text":"On time."}]'
    beside = (b"", b'"reasoning":"No delay is known."')
    inside = (b'{"type":"thinking","thinking":"No delay is known."},', b'"reasoning":"No delay"')
    for part, field in (beside, inside):
        whole = completion(choice(b"%b,%b" % (parts % part, field)))
        streamed = chat_stream(ROLE, delta(field), delta(parts % part), STOP)
        for body in (whole, streamed):
            assert kinds(body) == [BlockKind.REASONING, BlockKind.TEXT]


def test_a_refusal_audio_and_the_deprecated_call_are_blocks() -> None:
    body = completion(
        choice(
            b'"refusal":"no","audio":{"id":"a","data":"QQ=="},'
            b'"function_call":{"name":"f","arguments":"{}"}'
        )
    )
    found = analysis(body).choices[0].blocks
    assert [block.kind for block in found] == [
        BlockKind.REFUSAL,
        BlockKind.AUDIO,
        BlockKind.TOOL_CALL,
    ]
    assert found[2].tool_call is None


def test_a_call_that_snowflake_sends_empty_is_no_block() -> None:
    body = completion(choice(b'"content":"a","function_call":{"name":"","arguments":""}'))
    assert kinds(body) == [BlockKind.TEXT]
