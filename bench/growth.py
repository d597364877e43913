"""How the time of a reading grows with its input, for inputs of many shapes: it must be linear.

    python3 bench/growth.py [--entries N] [SHAPE ...]

Each shape repeats one thing N, 2 N and 4 N times; told are the processor's seconds, and how many
times longer the longest took than the shortest. Four is linear; what is far above it, and takes
long enough to be measured, is marked. SHAPE is a part of a name. Needs the project's environment.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from inspector.core.exchange import Exchange  # noqa: E402
from inspector.core.reading import read  # noqa: E402

STEPS = (1, 2, 4)
TOO_MUCH = 6.5
MEASURABLE_SECONDS = 0.2


class Shape(NamedTuple):
    """What is repeated, ``#`` standing for its number, and what stands around it."""

    entry: bytes
    before: bytes = b""
    after: bytes = b""
    between: bytes = b""

    def body(self, entries: int) -> bytes:
        repeated = (self.entry.replace(b"#", b"%d" % number) for number in range(entries))
        return self.before + self.between.join(repeated) + self.after


def chunks(delta: bytes, more: bytes = b"", index: bytes = b"0") -> Shape:
    """A stream with one such delta in each chunk."""
    choice = b'{"index":' + index + b',"delta":{' + delta + b"}" + more + b"}"
    return Shape(b'data: {"id":"c","choices":[' + choice + b"]}\n\n", after=b"data: [DONE]\n\n")


def calls(entry: bytes) -> Shape:
    return chunks(b'"tool_calls":[{' + entry + b"}]")


def items(entry: bytes, before: bytes, after: bytes) -> Shape:
    """A list of such entries inside one text."""
    return Shape(entry, before, after, b",")


CALL = b'"function":{"name":"f","arguments":"{"}'
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


def seconds(body: bytes) -> float:
    exchange = Exchange.of_body(body)
    started = time.process_time()
    reading = read(exchange)
    reading.analysis()
    reading.tape()
    return time.process_time() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("shapes", nargs="*")
    parser.add_argument("--entries", type=int, default=4000)
    asked = parser.parse_args()
    table = Table("shape", "MB", *(f"{asked.entries * step:,}" for step in STEPS), "×", box=None)
    marked = 0
    for name, shape in SHAPES.items():
        if asked.shapes and not any(part in name for part in asked.shapes):
            continue
        bodies = [shape.body(asked.entries * step) for step in STEPS]
        taken = [seconds(body) for body in bodies]
        times = taken[-1] / max(taken[0], 1e-9)
        is_too_much = times > TOO_MUCH and taken[-1] > MEASURABLE_SECONDS
        marked += is_too_much
        shown = f"[bold red]{times:.1f}[/]" if is_too_much else f"{times:.1f}"
        table.add_row(name, f"{len(bodies[-1]) / 1e6:.2f}", *(f"{s:.3f}" for s in taken), shown)
    Console(width=120).print(table)
    return min(marked, 1)


if __name__ == "__main__":
    sys.exit(main())
