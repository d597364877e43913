"""Streams of Messages and of Responses, for cases of rules."""

import re

from tests.core.bodies import event

MESSAGE_START = b'{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}'
MESSAGE_STOP = b'{"type":"message_stop"}'
BEGIN = b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'
END = b'{"type":"content_block_stop","index":0}'


def piece(text: bytes) -> bytes:
    return (
        b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%s"}}' % text
    )


def message_end(reason: bytes = b"end_turn", output_tokens: int = 2) -> bytes:
    return b'{"type":"message_delta","delta":{"stop_reason":"%s"},"usage":{"output_tokens":%d}}' % (
        reason,
        output_tokens,
    )


def messages(*events: bytes) -> bytes:
    """A stream of Anthropic's with these events, from its start to its end."""
    return b"".join(map(event, (MESSAGE_START, *events, MESSAGE_STOP)))


def named(stream: bytes) -> bytes:
    """A stream whose events have their types as names."""
    return re.sub(rb'data: \{"type":"(\w+)"', rb"event: \1\n\g<0>", stream)


HI_MESSAGE = messages(BEGIN, piece(b"Hi"), END, message_end())
USES = b'{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}'
USED = b'{"type":"content_block_stop","index":1}'


def searched(found: bytes) -> bytes:
    """A message of the provider's search, with what it found, and a text."""
    result = b'{"type":"web_search_tool_result","tool_use_id":"s","content":%s}' % found
    text = b'{"type":"text","text":"Hi"}'
    return b'{"type":"message","role":"assistant","content":[%s,%s],"stop_reason":"end_turn"}' % (
        result,
        text,
    )


def responses(*numbers: int, whole: bytes = b"Hi") -> bytes:
    """A stream of Responses whose events have these sequence numbers, and a text sent whole."""
    events = (
        b'{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}',
        b'{"type":"response.output_item.added","output_index":0,"item":{"type":"message","role":"assistant","content":[]}',
        b'{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}',
        b'{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hi"',
        b'{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"%s"'
        % whole,
        b'{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}]}',
    )
    numbered = (b'%s,"sequence_number":%d}' % each for each in zip(events, numbers, strict=True))
    return b"".join(map(event, numbered))


def rotated_ids(second: bytes) -> bytes:
    """A stream of Responses in which the second event of an item names it so."""
    stream = HI_RESPONSE.replace(b'"item":{', b'"item":{"id":"msg_1",', 1)
    return stream.replace(b'"delta":', b'"item_id":"%s","delta":' % second)


HI_RESPONSE = responses(0, 1, 2, 3, 4, 5)
EMPTY_RESPONSE = HI_RESPONSE.replace(
    b'"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}]',
    b'"completed","output":[]',
)
