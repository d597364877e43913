"""Output of ``inspect`` on standard output, and bodies to give it."""

import io
import json
from pathlib import Path
from typing import Any

from django.core.management import call_command

WHOLE = b'{"id":"c1","object":"chat.completion","created":1795183339,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}'
WARNED = WHOLE.replace(b'"total_tokens":5', b'"total_tokens":6')
FAILED = WHOLE[:-1] + b",}"
FIRST = b'data: {"id":"c1","object":"chat.completion.chunk","created":1795183339,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}\n\n'
LAST = b'data: {"id":"c1","object":"chat.completion.chunk","created":1795183339,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def told(*arguments: object) -> str:
    out = io.StringIO()
    call_command("inspect", *map(str, arguments), stdout=out)
    return out.getvalue()


def objects(*arguments: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in told(*arguments, "--json").splitlines()]


def write_reads(path: Path, *reads: tuple[int, bytes]) -> Path:
    lines = [json.dumps({"at_us": at_us, "data": data.decode()}) for at_us, data in reads]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path
