"""Real clients through the proxy: do they get the bytes that the upstream sent, and mind nothing?

    .venv/bin/python bench/clients.py [--python FOLDER] [--node FOLDER] [--only NAME] [--direct]

SDKs of Python and Node and curl, each whole, streamed, cancelled, cut by the upstream, refused and
with a tool, call a canned upstream through an installation of this checkout that is thrown away.
Between client and proxy lies a tap: the SHA-256 of what reached the client's socket is compared
with that of what the upstream sent. ``--direct`` leaves the proxy out, which shows what the clients
do without it.

The clients are no part of this project: Python's are installed into FOLDER from
callers/python.lock, Node's from callers/package-lock.json, once.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from callers.answers import (  # noqa: E402
    ARGUMENTS,
    CANCELLED,
    CUT,
    ERROR,
    SITUATIONS,
    STREAMED,
    TEXT,
    TOOL,
    TOOLS,
    WHOLE,
    WORDS,
)
from callers.tap import Tap, TappedAnswer, tapped  # noqa: E402
from callers.upstream import CannedUpstream, ServedCall, canned_upstream  # noqa: E402
from capturing import Installation, installed  # noqa: E402
from environments import python_of  # noqa: E402

HERE = Path(__file__).resolve().parent / "callers"
CALLER_KEY = "sk-caller-of-a-measurement-0123456789"
KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key")
PYTHON = ("openai", "openai_responses", "anthropic", "google_genai", "litellm", "langchain_openai")
NODE = ("node_openai", "node_ai")
CURL = "curl"
LEFT_WITHIN_SECONDS = 10.0
VERDICTS = {
    WHOLE: "complete",
    STREAMED: "complete",
    CANCELLED: "client-cancelled",
    CUT: "upstream-error",
    ERROR: "provider-error",
    TOOLS: "complete",
}
CAPTURED = """
SELECT c.sha256, c.outcome, i.verdict FROM archive_capture c
LEFT JOIN archive_inspection i ON i.capture_id = c.id WHERE c.request_url LIKE '%/{}/%'
"""
COLUMNS = "{:<18}{:<11}{:>7}  {:<10}{:<10}{:<10}{:<18}{}"
HEAD = ("client", "situation", "bytes", "equal", "understood", "key kept", "verdict", "complaints")
Told = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ran:
    """One client in one situation, from every side."""

    client: str
    situation: str
    told: Told
    served: list[ServedCall]
    tapped: list[TappedAnswer]
    captured: list[tuple[object, ...]] | None
    """None where there is no proxy."""

    def complaints(self) -> Iterator[str]:
        if len(self.served) != 1:
            yield f"{len(self.served)} calls reached the upstream"
        if not self.is_equal:
            yield "other bytes than the upstream sent"
        if not self.is_understood:
            yield f"the client says {self.told}"
        if not self.kept_key:
            yield "the upstream got another key"
        if self.captured is not None and len(self.captured) != 1:
            yield f"{len(self.captured)} captures"
        if self.captured and (said := self.wrongly_captured()):
            yield said

    def wrongly_captured(self) -> str:
        sha256, _, verdict = (self.captured or [])[0]
        if verdict != VERDICTS[self.situation]:
            return f"the verdict is {verdict}"
        return "" if self.is_hash_of_sent(str(sha256)) else "the capture holds other bytes"

    def is_hash_of_sent(self, found: str) -> bool:
        sent = bytes(self.served[0].sent)
        if self.situation != CANCELLED:
            return hashlib.sha256(sent).hexdigest() == found
        # What came before the caller went, as far as it had come.
        return any(hashlib.sha256(sent[:end]).hexdigest() == found for end in range(len(sent) + 1))

    @property
    def is_equal(self) -> bool:
        if not self.served or not self.tapped:
            return False
        sent, had = bytes(self.served[0].sent), self.tapped[0].body
        return sent.startswith(had) if self.situation == CANCELLED else sent == had

    @property
    def is_understood(self) -> bool:
        told = self.told
        if self.situation == ERROR:
            return told.get("status") == 429 and "error" in told
        if self.situation == CUT:
            return "error" in told
        if self.situation == TOOLS:
            arguments = told.get("arguments")
            return told.get("tool") == TOOL and json.loads(arguments or "0") == json.loads(
                ARGUMENTS
            )
        if self.situation == CANCELLED:
            return str(told.get("text", "")).startswith(WORDS[0]) and "error" not in told
        return told.get("text") == TEXT

    @property
    def kept_key(self) -> bool:
        headers = self.served[0].headers if self.served else {}
        return any(CALLER_KEY in headers.get(name, "") for name in KEY_HEADERS)

    def row(self) -> str:
        complaints = "; ".join(self.complaints())
        verdict = str(self.captured[0][2]) if self.captured else "-"
        size = len(self.tapped[0].body) if self.tapped else 0
        flags = (
            "yes" if each else "NO" for each in (self.is_equal, self.is_understood, self.kept_key)
        )
        return COLUMNS.format(self.client, self.situation, size, *flags, verdict, complaints)


@dataclass(frozen=True, slots=True)
class Environments:
    python: Path
    node: Path

    def command(self, client: str, base: str) -> list[str]:
        if client in NODE:
            return ["node", str(self.node / "calls.mjs"), client, base]
        return [str(self.python), str(HERE / "calls.py"), client, base]


def environments(python: Path, node: Path) -> Environments:
    node.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc", "calls.mjs"):
        shutil.copy(HERE / name, node)
    if not (node / "node_modules").exists():
        subprocess.run(["npm", "ci", "--silent"], cwd=node, check=True)
    return Environments(python_of(python, HERE / "python.lock"), node)


# -- clients --------------------------------------------------------------------------------------


async def told_by(
    client: str, base: str, found: Environments, more: Mapping[str, str] | None = None
) -> AsyncIterator[Told]:
    """``more`` is what the client's environment has besides."""
    if client == CURL:
        for situation in SITUATIONS:
            yield {"situation": situation, **await curled(f"{base}/{CURL}-{situation}", situation)}
        return
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "CALLER_KEY": CALLER_KEY,
        **(more or {}),
    }
    process = await asyncio.create_subprocess_exec(
        *found.command(client, base), env=environment, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    async for line in process.stdout:
        yield json.loads(line)
    await process.wait()


async def curled(base: str, situation: str) -> Told:
    asked = json.dumps({"model": "m-1", "stream": situation not in (WHOLE, ERROR)})
    headers = ("-H", f"Authorization: Bearer {CALLER_KEY}", "-H", "Content-Type: application/json")
    status = () if situation == CANCELLED else ("-w", "\n%{http_code}")
    process = await asyncio.create_subprocess_exec(
        *("curl", "-sS", "-N", *status, *headers, "-d", asked, f"{base}/v1/chat/completions"),
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    if situation == CANCELLED:
        text = ""
        while WORDS[0] not in text:
            text += (await process.stdout.read(65_536)).decode()
        process.kill()
        await process.wait()
        return {"text": WORDS[0]}
    if situation == CUT:
        await process.communicate()
        return {"error": f"curl {process.returncode}"} if process.returncode else {}
    told = (await process.stdout.read()).decode()
    await process.wait()
    body, _, code = told.rpartition("\n")
    return read_by_hand(body, int(code))


def read_by_hand(body: str, status: int) -> Told:
    if status != 200:
        return {"status": status, "error": json.loads(body)["error"]["message"]}
    if not body.startswith("data:"):
        return {"text": json.loads(body)["choices"][0]["message"]["content"]}
    events = (line[6:] for line in body.splitlines() if line.startswith("data: {"))
    text, tool, arguments = "", "", ""
    for choice in (each for event in events for each in json.loads(event)["choices"]):
        text += choice["delta"].get("content") or ""
        for call in choice["delta"].get("tool_calls", ()):
            tool += call["function"].get("name", "")
            arguments += call["function"]["arguments"]
    return {"text": text, "tool": tool, "arguments": arguments}


# -- what became of it ----------------------------------------------------------------------------


async def ran(client: str, upstream: CannedUpstream, base: str, found: Environments) -> list[Ran]:
    towards = urlsplit(base)
    async with tapped(towards.port or 80) as tap:
        there = f"http://127.0.0.1:{tap.port}{towards.path}"
        told = [each async for each in told_by(client, there, found)]
        await everyone_left(client, upstream)
        return [one_of(client, each, upstream, tap) for each in told]


async def everyone_left(client: str, upstream: CannedUpstream) -> None:
    for call in upstream.calls.get(f"{client}-{CANCELLED}", []):
        async with asyncio.timeout(LEFT_WITHIN_SECONDS):
            await call.is_left.wait()


def one_of(client: str, told: Told, upstream: CannedUpstream, tap: Tap) -> Ran:
    situation = told.pop("situation")
    case = f"{client}-{situation}"
    answers = [each for each in tap.answers() if f"/{case}/" in each.path]
    return Ran(client, situation, told, upstream.calls.get(case, []), answers, None)


def with_capture(each: Ran, installation: Installation) -> Ran:
    found = installation.ask(CAPTURED.format(f"{each.client}-{each.situation}"))
    return Ran(each.client, each.situation, each.told, each.served, each.tapped, found)


async def measured(chosen: list[str], found: Environments, is_direct: bool) -> list[Ran]:
    async with canned_upstream() as upstream:
        url = f"http://127.0.0.1:{upstream.port}"
        if is_direct:
            return [each for client in chosen for each in await ran(client, upstream, url, found)]
        with ExitStack() as ending:
            folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
            ours = await asyncio.to_thread(ending.enter_context, installed(folder, url))
            done = [
                each for client in chosen for each in await ran(client, upstream, ours.base, found)
            ]
            await asyncio.to_thread(ours.wait_until_settled)
            print(f"balance: {ours.balance()}")
            return [with_capture(each, ours) for each in done]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=Path, default=Path("var/bench-callers/python"))
    parser.add_argument("--node", type=Path, default=Path("var/bench-callers/node"))
    parser.add_argument("--only", choices=(*PYTHON, *NODE, CURL))
    parser.add_argument("--direct", action="store_true")
    chosen = parser.parse_args()
    clients = [chosen.only] if chosen.only else [*PYTHON, *NODE, CURL]
    found = environments(chosen.python, chosen.node)
    done = asyncio.run(measured(clients, found, chosen.direct))
    print(COLUMNS.format(*HEAD))
    for each in done:
        print(each.row())
    wrong = sum(1 for each in done if any(each.complaints()))
    print(f"{len(done)} of {len(clients) * len(SITUATIONS)} situations, {wrong} with a complaint")
    raise SystemExit(bool(wrong) or len(done) < len(clients) * len(SITUATIONS))


if __name__ == "__main__":
    main()
