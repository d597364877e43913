"""Reading against the least that any client does: how fast, in one run, in turns.

    python3 bench/core.py [--rounds N]

Three readers take the same streams, one after the other in every round, so that a busy machine is
busy for all: ``analyze``, the splitter with msgspec alone, and bytes split at blank lines with the
standard library's json. Told are the best rounds. Needs the environment of the project.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from inspector.core.exchange import Exchange, Read  # noqa: E402
from inspector.core.reading import analyze  # noqa: E402
from inspector.core.sse import Event, Splitter  # noqa: E402

CHUNKS = 20_000
READ_BYTES = 16_384
DONE = b"[DONE]"

Reader = Callable[[list[bytes]], object]


def stream(fields: str, chunks: int = CHUNKS) -> bytes:
    """A stream of equal chunks, as long as the provider's names make them."""
    head = (
        '{"id":"chatcmpl-8YMnDbsifkBeAs814beb0dFOJdPeG","object":"chat.completion.chunk",'
        '"created":1795183339,"model":"parcel-large-2","system_fingerprint":"fp_7c1e90",'
    )
    chunk = f'data: {head}"choices":[{{"index":0,{fields},"finish_reason":null}}]}}\n\n'
    last = f'data: {head}"choices":[{{"index":0,"delta":{{}},"finish_reason":"stop"}}]}}\n\n'
    return (chunk * chunks + last).encode() + b"data: [DONE]\n\n"


STREAMS = {
    "text": stream('"delta":{"content":" word"}'),
    "tool call": stream(
        '"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":" "}}]}'
    ),
    "logprobs": stream(
        '"delta":{"content":" word"},"logprobs":{"content":[{"token":" word","logprob":-0.25,'
        '"bytes":[32,119,111,114,100],"top_logprobs":[{"token":" word","logprob":-0.25}]}]}'
    ),
    "not ASCII": stream('"delta":{"content":"日本語"}'),
}


def analyzed(reads: list[bytes]) -> object:
    return analyze(Exchange(reads=tuple(Read(at, data) for at, data in enumerate(reads, 1))))


def split_and_decoded(reads: list[bytes]) -> object:
    splitter, values = Splitter(), []
    for data in reads:
        for item in splitter.feed(data):
            if isinstance(item, Event) and item.data != DONE:
                values.append(msgspec.json.decode(item.data))
    return values


def split_and_loaded(reads: list[bytes]) -> object:
    blocks = b"".join(reads).split(b"\n\n")
    texts = (block.removeprefix(b"data: ") for block in blocks if block)
    return [json.loads(text) for text in texts if text != DONE]


READERS: dict[str, Reader] = {
    "analyze": analyzed,
    "splitter + msgspec": split_and_decoded,
    "split + json": split_and_loaded,
}


def best_seconds(body: bytes, rounds: int) -> dict[str, float]:
    """The shortest time of each reader over all rounds."""
    reads = [body[at : at + READ_BYTES] for at in range(0, len(body), READ_BYTES)]
    best = dict.fromkeys(READERS, float("inf"))
    for _ in range(rounds):
        for name, reader in READERS.items():
            started = time.perf_counter()
            reader(reads)
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def main(rounds: int) -> None:
    table = Table("stream", "reader", "MB/s", "µs per chunk", "times split + json", box=None)
    for name, body in STREAMS.items():
        best = best_seconds(body, rounds)
        for reader, seconds in best.items():
            table.add_row(
                name,
                reader,
                f"{len(body) / seconds / 1e6:.1f}",
                f"{seconds / CHUNKS * 1e6:.2f}",
                f"{seconds / best['split + json']:.2f}",
            )
    Console().print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    main(parser.parse_args().rounds)
