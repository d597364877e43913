"""Bodies as providers send them, none like another: a JSON answer, a stream of events."""

import json
import random
from functools import cache

import core

CHUNK_BYTES = len(core.stream(1_000)) / 1_000
ID = b"chatcmpl-8YMnDbsifkBeAs814beb0dFOJdPeG"
_numbers = random.Random(2)


def answer(length: int = 2_000) -> bytes:
    """Return a completion with a text of invented words, ``length`` bytes long."""
    head = {"id": _id().decode(), "object": "chat.completion", "created": 1795183339}
    usage = {"prompt_tokens": 40, "completion_tokens": 400, "total_tokens": 440}
    message = {"role": "assistant", "content": ""}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    body = {**head, "model": "parcel-large-2", "choices": choices, "usage": usage}
    message["content"] = text(length - len(json.dumps(body)))
    return json.dumps(body).encode()


def stream(length: int) -> bytes:
    """About ``length`` bytes of chunks; only their id is another one in each stream."""
    return _stream(round(length / CHUNK_BYTES)).replace(ID, _id())


@cache
def _stream(chunks: int) -> bytes:
    return core.stream(chunks)


def text(length: int) -> str:
    words = (
        "".join(_numbers.choices("abcdefghijklmnop", k=_numbers.randrange(1, 9)))
        for _ in range(length)
    )
    return " ".join(words)[:length]


def _id() -> bytes:
    return b"chatcmpl-%029x" % _numbers.getrandbits(29 * 4)
