"""Shapes of the formats that have tables of their own, each repeating what costs most."""

from tests.attack.shapes import Shape, items


def events(*objects: bytes) -> bytes:
    return b"".join(b"data: %s\n\n" % one for one in objects)


def messages(entry: bytes, *begun: bytes) -> Shape:
    """Return a Messages stream with such events behind those that begin its blocks."""
    start = b'{"type":"message_start","message":{"type":"message","content":[],"usage":{}}}'
    return Shape(entry, events(start, *begun), events(b'{"type":"message_stop"}'))


def begun(index: bytes, kind: bytes, name: bytes) -> bytes:
    block = b'{"type":"' + kind + b'","' + name + b'":""}'
    return b'{"type":"content_block_start","index":' + index + b',"content_block":' + block + b"}"


def piece(index: bytes, name: bytes, text: bytes = b"a ") -> bytes:
    delta = b'{"' + name + b'":"' + text + b'"}'
    return b'{"type":"content_block_delta","index":' + index + b',"delta":' + delta + b"}"


def responses(entry: bytes, *begun: bytes) -> Shape:
    """Return a Responses stream with such events behind those that begin its items."""
    created = b'{"type":"response.created","response":{"object":"response","output":[]}}'
    completed = b'{"type":"response.completed","response":{"status":"completed","output":[]}}'
    return Shape(entry, events(created, *begun), events(completed))


def of(kind: bytes, members: bytes, index: bytes = b"0") -> bytes:
    return b'{"type":"response.' + kind + b'","output_index":' + index + b"," + members + b"}"


def candidate(part: bytes, more: bytes = b"") -> bytes:
    return b'{"candidates":[{"content":{"parts":[' + part + b"]}}]" + more + b"}"


TEXT, THOUGHT = b'{"text":"a "}', b'{"text":"b ","thought":true}'
MESSAGE = of(b"output_item.added", b'"item":{"type":"message","content":[]}')
PART = of(b"content_part.added", b'"content_index":0,"part":{"type":"output_text","text":""}')
CALL = of(b"output_item.added", b'"item":{"type":"function_call","name":"f","arguments":""}')
WORD = of(b"output_text.delta", b'"content_index":0,"delta":"a "')

NATIVE_SHAPES: dict[str, Shape] = {
    "Messages: two blocks in turn": messages(
        events(piece(b"0", b"text"), piece(b"1", b"thinking")),
        begun(b"0", b"text", b"text"),
        begun(b"1", b"thinking", b"thinking"),
    ),
    "Messages: blocks": messages(events(begun(b"#", b"text", b"text"), piece(b"#", b"text"))),
    "Messages: a block that begins again": messages(
        events(begun(b"0", b"text", b"text"), piece(b"0", b"text"))
    ),
    "Messages: parts of a kind that begin again": messages(events(begun(b"0", b"x", b"k#"))),
    "Messages: blocks that did not begin": messages(events(piece(b"#", b"text"))),
    "Messages: pieces of arguments": messages(
        events(piece(b"0", b"partial_json", b"x")), begun(b"0", b"tool_use", b"name")
    ),
    "Messages: usage that changes": messages(
        events(b'{"type":"message_delta","delta":{},"usage":{"output_tokens":#}}')
    ),
    "Messages: counts of new names": messages(
        events(b'{"type":"message_delta","delta":{},"usage":{"k#":1}}')
    ),
    "Messages: answers": Shape(
        events(b'{"type":"message_start","message":{"k#":1,"content":[]}}', piece(b"0", b"text"))
    ),
    "Responses: items": responses(
        events(of(b"output_item.added", b'"item":{"type":"message","content":[]}', b"#"))
        + events(of(b"output_text.delta", b'"content_index":0,"delta":"a"', b"#"))
    ),
    "Responses: a text that is done again": responses(
        events(WORD, of(b"output_text.done", b'"content_index":0,"text":"ab"')), MESSAGE, PART
    ),
    "Responses: arguments that are done again": responses(
        events(
            of(b"function_call_arguments.delta", b'"delta":"[#,"'),
            of(b"function_call_arguments.done", b'"arguments":"{}"'),
        ),
        CALL,
    ),
    "Responses: an item that is done again": responses(
        events(
            of(
                b"output_item.done",
                b'"item":{"type":"message","content":[{"type":"output_text","text":"a"}]}',
            )
        )
    ),
    "Responses: numbers out of order": responses(
        events(b'{"sequence_number":5,' + WORD[1:]), MESSAGE, PART
    ),
    "Responses: a long text that is done": Shape(
        b"word # ",
        events(MESSAGE, PART)
        + b'data: {"type":"response.output_text.done","output_index":0,"content_index":0,"text":"',
        b'"}\n\n',
    ),
    "Gemini: text and thought in turn": Shape(events(candidate(TEXT), candidate(THOUGHT))),
    "Gemini: usage in every chunk": Shape(
        events(candidate(TEXT, b',"usageMetadata":{"candidatesTokenCount":#}'))
    ),
    "Gemini: calls": Shape(events(candidate(b'{"functionCall":{"name":"f","args":{"a":#}}}'))),
    "Gemini: parts in one answer": items(
        TEXT + b"," + THOUGHT, b'{"candidates":[{"content":{"parts":[', b"]}}]}"
    ),
    "Gemini: a list of chunks": items(candidate(TEXT) + b"," + candidate(THOUGHT), b"[", b"]"),
    "Ollama: content and thinking in turn": Shape(
        b'{"model":"p","message":{"content":"a"},"done":false}\n'
        b'{"model":"p","message":{"thinking":"a"},"done":false}\n'
    ),
    "Ollama: counts in every line": Shape(
        b'{"model":"p","message":{"content":"a"},"done":false,"eval_count":#}\n'
    ),
    "formats in turn": messages(
        events(piece(b"0", b"text"))
        + b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
        begun(b"0", b"text", b"text"),
    ),
}
