"""Bodies that repeat one thing: how much of it there is, a sender chooses."""

from typing import NamedTuple


class Shape(NamedTuple):
    """Entry that is repeated, ``#`` standing for its number, and what stands around it."""

    entry: bytes
    before: bytes = b""
    after: bytes = b""
    between: bytes = b""
    weight: int = 1
    """So many entries of others weigh what one of these does: so many fewer are made."""

    def body(self, entries: int) -> bytes:
        numbers = range(entries // self.weight)
        repeated = (self.entry.replace(b"#", b"%d" % number) for number in numbers)
        return self.before + self.between.join(repeated) + self.after


def chunks(delta: bytes, more: bytes = b"", index: bytes = b"0") -> Shape:
    """Return a stream with one such delta in each chunk."""
    choice = b'{"index":' + index + b',"delta":{' + delta + b"}" + more + b"}"
    return Shape(b'data: {"id":"c","choices":[' + choice + b"]}\n\n", after=b"data: [DONE]\n\n")


def calls(entry: bytes) -> Shape:
    return chunks(b'"tool_calls":[{' + entry + b"}]")


def items(entry: bytes, before: bytes, after: bytes) -> Shape:
    """Return a list of such entries inside one text."""
    return Shape(entry, before, after, b",")


CALL = b'"function":{"name":"f","arguments":"{"}'
GOOD_CHUNK = b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
MESSAGE = b'{"choices":[{"index":0,"message":{'

SHAPES: dict[str, Shape] = {
    "text": chunks(b'"content":"a"'),
    "choices": chunks(b'"content":"a"', index=b"#"),
    "choices that finish": chunks(b'"content":"a"', b',"finish_reason":"stop"', b"#"),
    "a choice that finishes again": chunks(b'"content":"a"', b',"finish_reason":"stop"'),
    "calls": calls(b'"index":#,"id":"c#",' + CALL),
    "calls without index": calls(b'"id":"c#",' + CALL),
    "calls without index and id": calls(b'"function":{"name":"f#","arguments":"{}"}'),
    "calls under one index": calls(b'"index":0,"id":"c#",' + CALL),
    "calls in one chunk": items(
        b'{"id":"c#",' + CALL + b"}",
        b'data: {"choices":[{"index":0,"delta":{"tool_calls":[',
        b"]}}]}\n\n",
    ),
    "calls in one answer": items(
        b'{"id":"c#",' + CALL + b"}", MESSAGE + b'"tool_calls":[', b"]}}]}"
    ),
    "arguments as objects in one answer": items(
        b'{"function":{"name":"f","arguments":{"a":#}}}', MESSAGE + b'"tool_calls":[', b"]}}]}"
    ),
    "costs in one answer": items(
        b'{"index":#,"message":{"content":"a"},"cost_usd":0.1}', b'{"choices":[', b"]}"
    ),
    "costs beside a fault": items(
        b'{"index":#,"message":{"content":"a"},"cost_usd":0.1}', b'{"x":1e999,"choices":[', b"]}"
    ),
    "choices with one index": items(
        b'{"index":0,"message":{"content":"a"}}', b'{"choices":[', b"]}"
    ),
    "arguments glued": calls(b'"index":0,"function":{"arguments":"{}"}'),
    "arguments opened": calls(b'"index":0,"function":{"arguments":"["}'),
    "arguments sent again": calls(b'"index":0,"function":{"arguments":"{\\"a\\":1"}'),
    "roles": chunks(b'"role":"r#"'),
    "unknown fields": chunks(b'"x#":1'),
    "an unknown object that grows": chunks(b'"x":{"k#":1}', b',"y":{"k#":1}'),
    "reasoning details": chunks(b'"reasoning_details":[{"type":"reasoning.text","text":"a"}]'),
    "content parts": chunks(b'"content":[{"type":"text","text":"a#"}]'),
    "logprobs": chunks(b'"content":"a"', b',"logprobs":{"content":[{"token":"a","logprob":-1}]}'),
    "legacy logprobs": Shape(
        b'data: {"choices":[{"index":0,"text":"a","logprobs":'
        b'{"tokens":["a"],"text_offset":[#]}}]}\n\n'
    ),
    "usage that changes": Shape(b'data: {"choices":[],"usage":{"prompt_tokens":#}}\n\n'),
    "ids": Shape(b'data: {"id":"c#","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'),
    "errors": Shape(b'data: {"error":{"message":"x#"}}\n\n'),
    "broken chunks": Shape(b'data: {"choices":[\n\n'),
    "bytes that are not UTF-8": chunks(b'"content":"\xff"'),
    "comments": Shape(b": wait #\n\n"),
    "unknown lines": Shape(b"f#: x\n\n"),
    "data never dispatched": Shape(b"data: x\n"),
    "objects on lines": Shape(b'{"choices":[{"delta":{"content":"a"}}]}\n'),
    "objects glued": Shape(b'{"choices":[{"index":0,"delta":{"content":"a"}}]}'),
    "a list of chunks": items(b'{"choices":[{"index":0,"delta":{"content":"a"}}]}', b"[", b"]"),
    "fences": Shape(b'```json\n{"a":1}\n```\n'),
    "prose": Shape(b'he said "no" and {left\n'),
    "elisions": Shape(b'....\n{"choices":[]}\n'),
    "braces": Shape(b"{{{{{{{{"),
    "open names": Shape(b'{"{"{"'),
    "commas": Shape(b",,,,,,,,", b'{"a":1', b"}"),
    "white space": Shape(b"        ", b'{"a":1,', b"}x"),
    "backslashes": Shape(b"\\\\\\\\", b'{"a":"'),
    "names sent twice": items(b'"a#":1,"a#":2', b'{"choices":[],', b"}"),
    "NaN": items(b"NaN", b'{"choices":[],"a":[', b"]}"),
    "long numbers": items(b"9" * 400, b'{"choices":[],"a":[', b"]}"),
    "NUL": Shape(b"\\u0000", MESSAGE + b'"content":"', b'"}}]}'),
}


NESTED = 500
"""Levels: deeper ones no reader of JSON takes."""


def deep(before: bytes, after: bytes) -> Shape:
    """As many lists of lists as entries, each so deep that readers just take it."""
    return items(b"[" * NESTED + b"]" * NESTED, before + b"[", b"]" + after)._replace(weight=50)


WHOLE = b'{"object":"chat.completion",'
ONE = WHOLE + b'"choices":[{"index":0,'
SHOWN: dict[str, Shape] = {
    "unknown fields": items(b'"k#":1', WHOLE + b'"choices":[],', b"}"),
    "unknown fields in usage": items(b'"k#":1', WHOLE + b'"choices":[],"usage":{', b"}}"),
    "counts in usage that are none": items(
        b'"k#_tokens":"x"', WHOLE + b'"choices":[],"usage":{"prompt_tokens":"x",', b"}}"
    ),
    "costs in usage": items(
        b'"k#":0.1', WHOLE + b'"choices":[],"usage":{"prompt_tokens":1,"cost_details":{', b"}}}"
    ),
    "unknown fields in a choice": items(b'"k#":1', ONE + b'"message":{"content":"a"},', b"}]}"),
    "unknown fields in a message": items(b'"k#":1', ONE + b'"message":{"content":"a",', b"}}]}"),
    "unknown fields in a stream": chunks(b'"content":"a","x#":1'),
    "empty choices": items(b"{}", WHOLE + b'"choices":[', b"]}"),
    "choices": items(
        b'{"index":#,"message":{"role":"assistant","content":"word # of it"},"x":#}',
        WHOLE + b'"choices":[',
        b"]}",
    ),
    "choices in a stream": chunks(b'"content":"a"', index=b"#"),
    "empty calls": items(b"{}", ONE + b'"message":{"tool_calls":[', b"]}}]}"),
    "calls": items(
        b'{"id":"c#","x":1,"function":{"name":"f#","arguments":"{\\"a\\":#}"}}',
        ONE + b'"message":{"tool_calls":[',
        b"]}}]}",
    ),
    "calls in a stream": calls(b'"index":#,"id":"c#",' + CALL),
    "depth of arguments": Shape(
        b"[", ONE + b'"message":{"tool_calls":[{"function":{"arguments":"', b'"}}]}}]}'
    ),
    "length of arguments": Shape(
        b'\\"key #\\":\\"value #\\",',
        ONE + b'"message":{"tool_calls":[{"function":{"name":"f","arguments":"{',
        b'\\"z\\":1}"}}]}}]}',
    ),
    "pieces of arguments": calls(b'"index":0,"function":{"arguments":"[#,"}'),
    "depth": deep(WHOLE + b'"choices":[],"x":', b"}"),
    "depth that is refused": Shape(b"[", WHOLE + b'"choices":[],"x":'),
    "events": chunks(b'"content":"word # of it "'),
    "comments": Shape(b": wait #\n\n", b'data: {"choices":[{"index":0,"delta":{}}]}\n\n'),
    "unknown lines": Shape(b"f#: x\n", b'data: {"choices":[{"index":0,"delta":{}}]}\n\n'),
    "broken chunks": Shape(b'data: {"choices":[#\n\n', GOOD_CHUNK),
    "names of events": Shape(b'event: e#\ndata: {"choices":[]}\n\n', GOOD_CHUNK),
    "lines": items(b'"k#":1\n', WHOLE + b'"choices":[],\n', b"}"),
    "a long text": Shape(b"word # of it. ", ONE + b'"message":{"content":"', b'"}}]}'),
    "a text of many lines": Shape(b"- **w#**\\n", ONE + b'"message":{"content":"', b'"}}]}'),
    "a text of marks": Shape(b"[#](http://a#) ", ONE + b'"message":{"content":"', b'"}}]}'),
    "a text of hidden characters": Shape(b"\\u202e", ONE + b'"message":{"content":"', b'"}}]}'),
    "a text of the older kind": Shape(
        b"word # ", b'{"object":"text_completion","choices":[{"index":0,"text":"', b'"}]}'
    ),
    "a refusal": Shape(b"word # ", ONE + b'"message":{"refusal":"', b'"}}]}'),
    "reasoning": chunks(b'"reasoning_content":"word # "'),
    "speech": Shape(b"QUJD", ONE + b'"message":{"audio":{"data":"', b'"}}}]}'),
    "speech in a stream": chunks(b'"audio":{"data":"QUJD"}'),
    "content parts": items(
        b'{"type":"text","text":"a#"}', ONE + b'"message":{"content":[', b"]}}]}"
    ),
    "annotations": items(
        b'{"type":"url_citation","url_citation":{"url":"http://a/#","start_index":0,"end_index":1}}',
        ONE + b'"message":{"content":"ab","annotations":[',
        b"]}}]}",
    ),
    "citations": items(
        b'"http://a/#"', ONE + b'"message":{"content":"[1]"}}],"citations":[', b"]}"
    ),
    "logprobs": items(
        b'{"token":"a","logprob":-1,"top_logprobs":[{"token":"a","logprob":-1}]}',
        ONE + b'"message":{"content":"a"},"logprobs":{"content":[',
        b"]}}]}",
    ),
    "logprobs in a stream": chunks(
        b'"content":"a"', b',"logprobs":{"content":[{"token":"a","logprob":-1}]}'
    ),
    "alternatives": items(
        b'{"token":"a#","logprob":-1}',
        ONE + b'"message":{"content":"a"},"logprobs":{"content":[{"token":"a","top_logprobs":[',
        b"]}]}}]}",
    ),
    "a wide value": items(b"#", WHOLE + b'"choices":[],"x":[', b"]}"),
    "a long value": Shape(b"value #", WHOLE + b'"choices":[],"x":"', b'"}'),
    "a long name": Shape(b"name", WHOLE + b'"choices":[],"', b'":1}'),
    "a body of nothing": Shape(b"word # of it\n"),
}
