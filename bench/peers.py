"""Accumulators of the OpenAI and Anthropic SDKs and litellm's builder, timed in an environment of
their own.

Run by bench/core.py in the environment that bench/peers.lock describes. Reads a line "<reader>
<path>" and answers with the seconds that one reading of that event stream took, or with what it
raised. Splitting and decoding belong to the time, as they do in both libraries.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import RawMessageStreamEvent
from litellm import ModelResponseStream, stream_chunk_builder
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk
from pydantic import TypeAdapter

EVENT: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)


def chunks(body: bytes) -> Iterator[Any]:
    for block in body.split(b"\n\n"):
        text = block.rpartition(b"data: ")[2]
        if text and text != b"[DONE]":
            yield json.loads(text)


def accumulate(body: bytes) -> object:
    """As the SDK does it: chunks are built unchecked, the accumulator takes each."""
    state: Any = ChatCompletionStreamState()
    for chunk in chunks(body):
        state.handle_chunk(ChatCompletionChunk.construct(**chunk))
    return state.get_final_completion()


def build(body: bytes) -> object:
    return stream_chunk_builder([ModelResponseStream(**chunk) for chunk in chunks(body)])


def accumulate_message(body: bytes) -> object:
    """As Anthropic's SDK does it, without the network and the events that it derives."""
    snapshot: Any = None
    json_bufs: dict[int, bytes] = {}
    for chunk in chunks(body):
        event = EVENT.validate_python(chunk)
        snapshot = accumulate_event(event=event, current_snapshot=snapshot, json_bufs=json_bufs)
    return snapshot


READERS: dict[str, Callable[[bytes], object]] = {
    "openai": accumulate,
    "anthropic": accumulate_message,
    "litellm": build,
}


def main() -> None:
    # litellm tells things on standard output; that is where the answers go.
    answers, sys.stdout = sys.stdout, sys.stderr
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        reader, _, path = line.strip().partition(" ")
        body = Path(path).read_bytes()
        started = time.perf_counter()
        try:
            READERS[reader](body)
        except Exception as error:  # noqa: BLE001 - that a peer raises is a result
            print(f"raised {type(error).__name__}", file=answers, flush=True)
        else:
            print(time.perf_counter() - started, file=answers, flush=True)


if __name__ == "__main__":
    main()
