"""Sessions written as tables: a line a call, its prompt in short.

A prompt is a row of items: ``T`` a tool, ``S`` a system message, ``U`` a user's, ``A`` an answer,
``C`` an answer that calls a tool, ``R`` the result of that call. Items of one name are equal. Each
is about 1,000 bytes long.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture
from inspector.core.wire.exchange import Exchange, Request
from inspector.sessions.models import Turn
from inspector.sessions.turn_rows import changes_of
from tests.archive.samples import accept_arrival, inspect_all
from tests.people import Person

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
OPENAI = "https://api.openai.com/v1/chat/completions"
ANTHROPIC = "https://api.anthropic.com/v1/messages"
ERROR = b'{"error":{"message":"Overloaded","type":"server_error","code":"overloaded"}}'
SIGNS = {"appended": "+", "inserted": "i", "edited": "e", "moved": "m", "dropped": "-"}


@dataclass(frozen=True)
class Line:
    """``at`` in seconds; ``tokens``: of the prompt, from the cache, written to it."""

    at: float
    prompt: tuple[str, ...]
    tokens: tuple[int, int, int]
    options: dict[str, str]
    expected: str


def read_lines(table: str) -> list[Line]:
    return [line_of(text) for text in table.strip().splitlines()]


def line_of(text: str) -> Line:
    at, prompt, tokens, options, expected = (part.strip() for part in text.split("|"))
    counts = [int(each) for each in tokens.split()]
    return Line(
        float(at),
        tuple(prompt.split()),
        (counts + [0, 0, 0])[0:3] if counts else (0, 0, 0),  # type: ignore[arg-type]
        dict(each.split("=") for each in options.split()),
        " ".join(expected.split()),
    )


def text_of(name: str) -> str:
    return f"{name} " + "x" * 900


def chat_body(line: Line) -> dict[str, Any]:
    model = line.options.get("model", "gpt-4o")
    body: dict[str, Any] = {"model": model, "messages": [chat_message(it) for it in said(line)]}
    if tools := offered(line):
        body["tools"] = [{"type": "function", "function": tool(each)} for each in tools]
    if "key" in line.options:
        body["prompt_cache_key"] = line.options["key"]
    if "retention" in line.options:
        body["prompt_cache_retention"] = line.options["retention"]
    if "temperature" in line.options:
        body["temperature"] = float(line.options["temperature"])
    return body


def chat_message(name: str) -> dict[str, Any]:
    call = {"id": f"call_{name[1:]}", "type": "function"}
    match name[0]:
        case "S":
            return {"role": "system", "content": text_of(name)}
        case "A":
            return {"role": "assistant", "content": text_of(name)}
        case "C":
            function = {"name": "read", "arguments": json.dumps({"path": text_of(name)})}
            calls = [{**call, "function": function}]
            return {"role": "assistant", "content": None, "tool_calls": calls}
        case "R":
            return {"role": "tool", "tool_call_id": call["id"], "content": text_of(name)}
    return {"role": "user", "content": text_of(name)}


def messages_body(line: Line) -> dict[str, Any]:
    """Return a body of Anthropic, with a mark on the last message."""
    messages = [block_message(each) for each in said(line) if each[0] != "S"]
    if "unmarked" not in line.options:
        ttl = {"ttl": "1h"} if line.options.get("ttl") == "1h" else {}
        messages[-1]["content"][-1]["cache_control"] = {"type": "ephemeral", **ttl}
    system = [{"type": "text", "text": text_of(each)} for each in said(line) if each[0] == "S"]
    body = {"model": line.options.get("model", "claude-sonnet-4-5"), "max_tokens": 100}
    tools = [
        {k.replace("parameters", "input_schema"): v for k, v in tool(each).items()}
        for each in offered(line)
    ]
    return {**body, "system": system, "messages": messages, **({"tools": tools} if tools else {})}


def block_message(name: str) -> dict[str, Any]:
    match name[0]:
        case "A":
            return {"role": "assistant", "content": [{"type": "text", "text": text_of(name)}]}
        case "C":
            use = {"type": "tool_use", "id": f"call_{name[1:]}", "name": "read"}
            return {"role": "assistant", "content": [{**use, "input": {"path": text_of(name)}}]}
        case "R":
            result = {"type": "tool_result", "tool_use_id": f"call_{name[1:]}"}
            return {"role": "user", "content": [{**result, "content": text_of(name)}]}
    return {"role": "user", "content": [{"type": "text", "text": text_of(name)}]}


def said(line: Line) -> list[str]:
    return [each for each in line.prompt if each[0] != "T"]


def offered(line: Line) -> list[str]:
    return [each for each in line.prompt if each[0] == "T"]


def tool(name: str) -> dict[str, Any]:
    """``T1a`` and ``T1b`` are two descriptions of the tool ``T1``."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    return {"name": name[:2], "description": text_of(name), "parameters": schema}


def chat_answer(line: Line, number: int) -> bytes:
    prompt, cached, _ = line.tokens
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": 20,
        "total_tokens": prompt + 20,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    return json.dumps({
        "id": line.options.get("id", f"chatcmpl-{number}"),
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": line.options.get("model", "gpt-4o"),
        "system_fingerprint": line.options.get("fingerprint", "fp_1"),
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": line.options.get("says", f"Done {number}")},
            "finish_reason": "stop",
        }],
        "usage": usage if prompt else None,
    }).encode()  # fmt: skip


def messages_answer(line: Line, number: int) -> bytes:
    prompt, cached, written = line.tokens
    return json.dumps({
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": line.options.get("model", "claude-sonnet-4-5"),
        "content": [{"type": "text", "text": f"Done {number}"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": prompt - cached - written,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": cached,
            "output_tokens": 20,
        },
    }).encode()  # fmt: skip


def submission_of(line: Line, number: int, session: str | None, url: str = OPENAI) -> Submission:
    is_chat = url == OPENAI
    body = chat_body(line) if is_chat else messages_body(line)
    answer = chat_answer(line, number) if is_chat else messages_answer(line, number)
    failed = "fails" in line.options
    request = (
        Request(method="POST", url=url, body=json.dumps(body).encode()) if said(line) else None
    )
    exchange = Exchange(
        reads=Exchange.of_body(ERROR if failed else answer).reads,
        content_type="application/json",
        status_code=503 if failed else 200,
        request=request,
    )
    stated = line.options.get("session", session)
    return Submission(
        exchange,
        metadata={"session_id": stated} if stated else {},
        started_at=START + timedelta(seconds=line.at),
    )


def send(person: Person, table: str, session: str | None = "s-1", url: str = OPENAI) -> list[UUID]:
    """Captures each line and has it inspected; the ids in the order of the lines."""
    sent = [
        accept_arrival(person, submission_of(line, number, session, url)).id
        for number, line in enumerate(read_lines(table), 1)
    ]
    backdate(sent, read_lines(table))
    inspect_all()
    return sent


def backdate(ids: list[UUID], lines: list[Line]) -> None:
    """Each arrived when it was asked, unless the line says when."""
    for capture_id, line in zip(ids, lines, strict=True):
        arrived = START + timedelta(seconds=float(line.options.get("arrived", line.at)))
        called = START + timedelta(seconds=line.at)
        Capture.objects.filter(pk=capture_id).update(received_at=arrived, called_at=called)


def told(ids: list[UUID]) -> list[str]:
    """Each turn as the tables write it: lane, what it follows, changes, cause."""
    rows = {row.pk: row for row in Turn.objects.filter(pk__in=ids)}
    return [told_turn(rows[each], ids) for each in ids]


def told_turn(row: Turn, ids: list[UUID]) -> str:
    links = (("<", row.parent), ("=", row.attempt_of), ("~", row.hop_of))
    words = [f"{row.lane}", *(f"{sign}{ids.index(it) + 1}" for sign, it in links if it)]
    changes = changes_of(row)
    if changes and not row.attempt_of:
        words += [f"{SIGNS[kind]}{count}" for kind, count in sorted(changes.counts.items())]
        words += [f"p:{name}" for name in changes.parameters]
    if row.cause:
        words.append(":".join(filter(None, (row.cause, row.section))))
    return " ".join(words)
