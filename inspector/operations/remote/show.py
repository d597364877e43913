"""Shows one capture: what the reader got and why, texts, tool calls, usage, times and findings."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.operations.remote.capture_lines import outcome_words, seconds, shown, tokens
from inspector.operations.remote.client import (
    CAPTURES_PATH,
    Client,
    RemoteError,
    add_client_options,
    client_of,
)
from inspector.operations.reports.terminal_escape import escape_for_terminal

EXAMPLES = (
    ("show 0194f3a2-77c1-7d0e", "by the beginning of its id"),
    ("show req_011CSH", "by a request's id, or an idempotency key"),
    ("show 0194f3a2-77c1-7d0e --json", "all that the interface tells"),
    ("show 0194f3a2-77c1-7d0e --raw > answer.sse", "the bytes as they came"),
)
TEXTS = ("reasoning", "content", "text", "refusal")

Value = Mapping[str, Any]


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the whole id, or its beginning as list prints it")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON")
    form.add_argument("--raw", action="store_true", help="the bytes of the response, and no more")
    add_client_options(parser)


def run(options: Namespace) -> int:
    client = client_of(options)
    path = f"{CAPTURES_PATH}{_found_id(client, options.id)}/"
    if options.raw:
        sys.stdout.buffer.write(client.get(f"{path}raw/"))
        return 0
    detail = client.value(path)
    findings = client.value(f"{path}findings/")["findings"] if detail["analysis"] else []
    if options.json:
        print(json.dumps({**detail, "findings": findings}))
    else:
        print("\n".join(capture_text(detail, findings)))
    return 0


def capture_text(detail: Value, findings: list[Any]) -> Iterator[str]:
    """Lines for a terminal, without characters that control it."""
    yield f"{detail['id']}  {outcome_words(detail)}"
    analysis = detail["analysis"]
    if analysis is None:
        yield f"not analysed: {shown(detail['quarantine_reason'])}"
        return
    yield f"{shown(analysis['result_reason'])} {shown(analysis['verdict_reason'])}"
    yield ", ".join(_facts(detail))
    yield shown(detail["page"])
    for choice in analysis["choices"]:
        yield ""
        yield from _choice(choice)
    yield ""
    yield f"findings: {len(findings) or 'none'}"
    for finding in findings:
        yield f"  {finding['severity']:<8}{shown(finding['code'])}: {shown(finding['message'])}"


def _facts(detail: Value) -> Iterator[str]:
    yield f"called {detail['called_at']}, received {detail['received_at']}"
    yield f"{shown(detail['dialect'])} of {shown(detail['vendor'])}"
    yield f"model {shown(detail['model'])}"
    yield f"tokens {tokens(detail)}"
    yield f"first token {seconds(detail['first_token_us'])}"
    yield f"duration {seconds(detail['duration_us'])}"
    yield f"{detail['byte_length']:,} bytes"


def _choice(choice: Value) -> Iterator[str]:
    yield f"choice {choice['index']}: {choice['result']}, {_finish(choice)}"
    for name in TEXTS:
        text = choice.get(name)
        if isinstance(text, str) and text:
            yield f"  {name}"
            yield from (f"    {escape_for_terminal(line)}" for line in text.split("\n"))
    for call in choice["tool_calls"]:
        state = call["arguments_cause"] or call["arguments_state"]
        yield f"  call {shown(call.get('name'))} ({state})"
        yield f"    {escape_for_terminal(call['arguments_text'])}"


def _finish(choice: Value) -> str:
    if "finish_reason" not in choice:
        return "no finish reason sent"
    return f"finish reason {escape_for_terminal(json.dumps(choice['finish_reason']))}"


def _found_id(client: Client, text: str) -> str:
    found = list(client.rows(text, 2))
    if not found:
        raise RemoteError(f"no capture is found by {text!r}")
    if len(found) > 1:
        raise RemoteError(f"several captures are found by {text!r}; list tells which")
    return str(found[0]["id"])
