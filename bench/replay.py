"""Do clients read what is replayed? Bytes, times, and what each of them makes of every fault.

    .venv/bin/python bench/replay.py bytes | times | through | faults [--table FILE]
        [--corpus FOLDER]... [--streams N] [--python FOLDER] [--node FOLDER]

All is played by ``manage.py replay`` out of a folder that is thrown away. ``bytes`` compares
SHA-256 of what a plain socket got with the stream's, ``times`` the moment at which each read came
with the recorded one. ``through`` has SDKs read the streams that fit them and compares the text
with our own reading; ``faults`` puts every fault into one stream of each format and prints a table
of what the SDKs do then. Streams are our own samples and, of a corpus with a ``manifest.jsonl``, N
spread over it, which get times of this benchmark's own.

The clients are those of bench/clients.py.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from callers.answers import FORMATS, TEXT  # noqa: E402

from clients import HERE, NODE, Environments, environments  # noqa: E402

PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m-1:streamGenerateContent",
}
ENDINGS = {
    "chat": "/chat/completions",
    "responses": "/responses",
    "anthropic": "/messages",
    "gemini": ":streamGenerateContent",
}
EVENT_BEGINS = (b"data:", b"event:", b":")
KINDS = {"chat.completion.chunk": "chat"}
"""Of a corpus' manifest, where they are not called as here."""
CLIENTS = {
    "openai": "chat",
    "openai_responses": "responses",
    "anthropic": "anthropic",
    "google_genai": "gemini",
    "litellm": "chat",
    "langchain_openai": "chat",
    "node_openai": "chat",
    "node_ai": "chat",
}
LINE_ENDS = {"lf": b"\n", "crlf": b"\r\n"}
EVENT_END = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)")
LONGEST_STREAM_US = 3_000_000
MAX_BODY_BYTES = 400_000
CONCURRENT = 4
TIMEOUT_SECONDS = 3.0
SAME = "read, same text"
UNCHANGING = (";speed=0", ";speed=0;split=bytes", ";speed=0;glue=all", ";speed=16;jitter=1")
"""Options that must leave the bytes as they are."""
SHARES = {"chat": 0.5, "responses": 0.18, "anthropic": 0.18, "gemini": 0.14}
FAULTS: tuple[tuple[str, str, str, int | None], ...] = (
    ("none", "", "lf", 0),
    ("speed 0", "speed=0", "lf", 0),
    ("head alone, then broken", "cut-byte=0", "lf", 0),
    ("broken between two events", "cut-event=4", "lf", 0),
    ("broken inside an event", "cut-byte={inside}", "lf", 0),
    ("broken behind the last byte", "cut-byte={length}", "lf", 0),
    ("broken after a second's part", "cut-second=0.05", "lf", 0),
    ("nothing for 1 s, then on", "stall-event=4;stall-seconds=1", "lf", 0),
    ("nothing more, connection open", "stall-event=4", "lf", 0),
    ("nothing behind the last byte, connection open", "stall-byte={length}", "lf", 0),
    ("cut inside characters", "split=utf8", "lf", 0),
    ("CR LF line ends", "", "crlf", 0),
    ("cut between CR and LF", "split=crlf", "crlf", 0),
    ("every byte by itself", "split=bytes", "lf", 0),
    ("pieces of 7 bytes", "split=7", "lf", 0),
    ("3 reads as one", "glue=3", "lf", 0),
    ("all in one read", "glue=all", "lf", 0),
    ("two reads changed places", "swap=3", "lf", 0),
    ("end mark left out", "end-mark=drop", "lf", 0),
    ("end mark twice", "end-mark=double", "lf", 0),
    ("429, no retries", "status=429", "lf", 0),
    ("429 twice, own retries", "status=429;status-times=2;retry-after=0", "lf", None),
    ("429 once, own retries", "status=429;status-times=1;retry-after=1", "lf", None),
    ("500 once, own retries", "status=500;status-times=1", "lf", None),
    ("529 once, own retries", "status=529;status-times=1", "lf", None),
    ("503 with a page", "status=503;content-type=text/html", "lf", 0),
    ("content type text/plain", "content-type=text/plain", "lf", 0),
    ("content type application/json", "content-type=application/json", "lf", 0),
    ("no content type", "drop-header=content-type", "lf", 0),
)  # fmt: skip
"""What it is, the options, which line ends, and the retries that clients may make; None: theirs."""


@dataclass(frozen=True, slots=True)
class Stream:
    name: str
    kind: str
    reads: tuple[tuple[int, bytes], ...]
    content_type: str = "text/event-stream"

    @property
    def body(self) -> bytes:
        return b"".join(data for _, data in self.reads)

    @property
    def request(self) -> dict[str, Any]:
        if self.kind == "gemini":
            return {"contents": [{"role": "user", "parts": [{"text": self.name}]}]}
        if self.kind == "responses":
            return {"model": "m-1", "input": self.name, "stream": True}
        asked = [{"role": "user", "content": self.name}]
        return {"model": "m-1", "messages": asked, "stream": True}

    def envelope(self) -> bytes:
        reads = [
            {"at_us": at, "data_b64": base64.b64encode(data).decode()} for at, data in self.reads
        ]
        request = {
            "method": "POST",
            "url": f"https://recorded.example{PATHS[self.kind]}",
            "body": json.dumps(self.request),
        }
        headers = {"content-type": self.content_type}
        response = {"status": 200, "headers": headers, "reads": reads}
        return json.dumps({"request": request, "response": response}).encode()


# -- streams --------------------------------------------------------------------------------------


def samples() -> Iterator[Stream]:
    """Our own, with the times that they have."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from inspector.operations.samples import samples as all_samples

    for sample in all_samples():
        reads, request = sample.exchange.reads, sample.exchange.request
        path = urlsplit((request.url if request else None) or "").path
        kind = next((kind for kind, ending in ENDINGS.items() if path.endswith(ending)), None)
        if kind is not None and len(reads) > 1 and reads[0].data.startswith(EVENT_BEGINS):
            timed = tuple((read.at_us or 0, read.data) for read in reads)
            yield Stream(f"sample: {sample.note}", kind, timed)


def of_corpora(folders: Sequence[Path], count: int) -> Iterator[Stream]:
    """So many streams, spread over the corpora, each event a read."""
    found: dict[str, list[Stream]] = {kind: [] for kind in PATHS}
    for folder in folders:
        if not (folder / "manifest.jsonl").exists():
            continue
        for line in (folder / "manifest.jsonl").read_text().splitlines():
            entry = json.loads(line)
            kind = KINDS.get(entry["kind"], entry["kind"])
            if entry["stream"] and kind in PATHS and entry["file"].endswith(".sse"):
                body = (folder / entry["file"]).read_bytes()
                if 0 < len(body) <= MAX_BODY_BYTES:
                    found[kind].append(Stream(entry["file"], kind, timed(body, entry["file"])))
    for kind, streams in found.items():
        wanted = min(len(streams), round(count * SHARES[kind]))
        yield from (streams[number * len(streams) // wanted] for number in range(wanted))


def timed(body: bytes, name: str) -> tuple[tuple[int, bytes], ...]:
    """Each event at a time that this benchmark gives it."""
    pieces = [piece for piece in EVENT_END.split(body) if piece]
    chance = random.Random(name)
    gaps = [200_000, *(chance.choice((1, 5, 20, 60)) * 1000 for _ in pieces[1:])]
    scale = min(1.0, LONGEST_STREAM_US / sum(gaps))
    at, found = 0.0, []
    for gap, piece in zip(gaps, pieces, strict=True):
        at += gap * scale
        found.append((round(at), piece))
    return tuple(found)


def canned() -> Iterator[Stream]:
    """One of each format that we wrote, with both line ends."""
    for kind, path in ENDINGS.items():
        _, events, _ = FORMATS[path]
        for ends in LINE_ENDS:
            pieces = [
                each.replace(b"\n", b"\r\n") if ends == "crlf" else each for each in events(False)
            ]
            reads = tuple((20_000 * (number + 1), piece) for number, piece in enumerate(pieces))
            yield Stream(f"{ends} {kind}", kind, reads)


# -- the server -----------------------------------------------------------------------------------


@contextmanager
def replayed(streams: Sequence[Stream]) -> Iterator[str]:
    """The address of a server that answers with these streams, each to its own prompt."""
    with tempfile.TemporaryDirectory() as folder:
        for number, stream in enumerate(streams):
            Path(folder, f"{number:04}.json").write_bytes(stream.envelope())
        command = [sys.executable, "manage.py", "replay", folder, "--until-input-ends"]
        environment = {**os.environ, "INSPECTOR_BOOTSTRAP": "0"}
        started = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        with started as process:
            assert process.stdout is not None
            base = process.stdout.readline().decode().strip()
            try:
                yield base.removesuffix("/v1")
            finally:
                process.terminate()


# -- a plain socket -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Received:
    body: bytes
    arrivals: tuple[tuple[float, int], ...]
    """Microseconds since the request was sent, and how many bytes of the body had come by then."""

    def lateness_us(self, stream: Stream) -> Iterator[float]:
        """Of each read: how much later than recorded its last byte came."""
        arrivals, at, end = iter(self.arrivals), (0.0, 0), 0
        for at_us, data in stream.reads:
            end += len(data)
            while at[1] < end:
                at = next(arrivals)
            yield at[0] - at_us


async def received(root: str, stream: Stream, options: str) -> Received:
    there = urlsplit(root)
    reader, writer = await asyncio.open_connection(there.hostname, there.port)
    body = json.dumps(stream.request).encode()
    head = f"POST /{options}{PATHS[stream.kind]} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    # The socket has it now: a request this short is never held back.
    sent_at = time.monotonic()
    told = await reader.readuntil(b"\r\n\r\n")
    assert told.startswith(b"HTTP/1.1 200"), told
    had, arrivals = bytearray(), []
    while size := int(await reader.readline(), 16):
        had += await reader.readexactly(size)
        arrivals.append(((time.monotonic() - sent_at) * 1e6, len(had)))
        await reader.readexactly(2)
    writer.close()
    return Received(bytes(had), tuple(arrivals))


async def all_received(root: str, streams: Sequence[Stream], options: str) -> list[Received]:
    turns = asyncio.Semaphore(CONCURRENT)

    async def one(stream: Stream) -> Received:
        async with turns:
            return await received(root, stream, options)

    return await asyncio.gather(*map(one, streams))


def compare_bytes(streams: Sequence[Stream]) -> None:
    equal = Counter[str]()
    with replayed(streams) as root:
        for options in (
            ";speed=0",
            ";speed=0;split=bytes",
            ";speed=0;glue=all",
            ";speed=16;jitter=1",
        ):
            found = asyncio.run(all_received(root, streams, options))
            for stream, each in zip(streams, found, strict=True):
                digests = {hashlib.sha256(body).digest() for body in (stream.body, each.body)}
                equal[options] += len(digests) == 1
    for options, count in equal.items():
        print(f"{options:<24} {count} of {len(streams)} streams equal by SHA-256")


def compare_times(streams: Sequence[Stream]) -> None:
    with replayed(streams) as root:
        # What is done at the first request alone is not of any stream.
        asyncio.run(received(root, streams[0], ";speed=0"))
        found = asyncio.run(all_received(root, streams, ""))
    pairs = zip(found, streams, strict=True)
    late = [each / 1000 for one, stream in pairs for each in one.lateness_us(stream)]
    at = statistics.quantiles(late, n=100)
    early = sum(each < -1 for each in late)
    print(f"{len(streams)} streams, {len(late)} reads, {CONCURRENT} at once, {early} early by 1 ms")
    shown = {"p50": at[49], "p95": at[94], "p99": at[98], "max": max(late)}
    print("ms late:", ", ".join(f"{name} {value:.2f}" for name, value in shown.items()))
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


# -- clients --------------------------------------------------------------------------------------


class Caller:
    """A process with one client, which reads one stream after the other."""

    def __init__(self, client: str, found: Environments) -> None:
        if client in NODE:
            (found.node / "through.mjs").write_text((HERE / "through.mjs").read_text())
            command = ["node", str(found.node / "through.mjs"), client]
        else:
            command = [str(found.python), str(HERE / "through.py"), client]
        environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def read(
        self, root: str, prompt: str, retries: int | None = 0, key: str = "any"
    ) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        asked = {"root": root, "key": key, "prompt": prompt}
        job = {**asked, "timeout": TIMEOUT_SECONDS, "retries": retries}
        self.process.stdin.write(json.dumps(job).encode() + b"\n")
        self.process.stdin.flush()
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        return told

    def end(self) -> None:
        with self.process as process:
            process.kill()


@contextmanager
def calling(client: str, found: Environments) -> Iterator[Caller]:
    caller = Caller(client, found)
    try:
        yield caller
    finally:
        caller.end()


def our_text(stream: Stream) -> str:
    """The text of the first choice as we read it."""
    from inspector.core.reading import analyze
    from inspector.core.wire.exchange import Exchange

    choices = analyze(Exchange.of_body(stream.body, stream.content_type)).choices
    return (choices[0].content or "") if choices else ""


def read_through(streams: Sequence[Stream], clients: Sequence[str], found: Environments) -> None:
    with replayed(streams) as root:
        for client in clients:
            fitting = [each for each in streams if each.kind == CLIENTS[client]]
            counts = Counter[str]()
            with calling(client, found) as caller:
                caller.read(f"{root}/;speed=0", fitting[0].name)
                for stream in fitting:
                    told = caller.read(f"{root}/;speed=0", stream.name)
                    ending = ending_of(told, our_text(stream))
                    counts[ending] += 1
                    if ending != SAME:
                        print(f"    {stream.name}: {ending} {told.get('message', '')[:80]}")
            print(f"{client:<18} {len(fitting):>3} streams: {dict(counts)}", flush=True)


def ending_of(told: dict[str, Any], expected: str) -> str:
    if told["hangs"]:
        return "hangs"
    if "error" in told:
        return str(told["error"])
    return SAME if told["text"] == expected else "read, other text than ours"


def faults(clients: Sequence[str], found: Environments) -> list[list[str]]:
    streams = list(canned())
    rows = [[name] for name, _, _, _ in FAULTS]
    with replayed(streams) as root:
        for client in clients:
            with calling(client, found) as caller:
                caller.read(f"{root}/;speed=0", f"lf {CLIENTS[client]}")
                for row, fault in zip(rows, FAULTS, strict=True):
                    row.append(outcome(caller, root, client, streams, fault))
            print(client, file=sys.stderr, flush=True)
    return rows


def outcome(
    caller: Caller,
    root: str,
    client: str,
    streams: Sequence[Stream],
    fault: tuple[str, str, str, int | None],
) -> str:
    _, options, ends, retries = fault
    name = f"{ends} {CLIENTS[client]}"
    body = next(each.body for each in streams if each.name == name)
    inside = body.index("☕".encode()) - 3
    # The seed is the client's own: requests are counted by answer and options.
    seed = sum(client.encode())
    filled = options.format(inside=inside, length=len(body)) + f";seed={seed}"
    told = caller.read(f"{root}/;{quote(filled, safe=';=-/')}", name, retries)
    return told_as(told)


def told_as(told: dict[str, Any]) -> str:
    text = told["text"]
    had = f" after {len(text)} characters" if text else ""
    if told["hangs"]:
        return f"**hangs**{had}"
    if "error" in told:
        return f"`{told['error']}`{had}"
    if text == TEXT:
        return "ok"
    if TEXT.startswith(text):
        return f"**silently short** ({len(text)} of {len(TEXT)})"
    return "**other text**"


def versions() -> str:
    lock = (HERE / "python.lock").read_text()
    pinned = dict(re.findall(r"^([a-z-]+)==([\w.]+)", lock, re.MULTILINE))
    names = ("openai", "anthropic", "google-genai", "litellm", "langchain-openai")
    node = json.loads((HERE / "package.json").read_text())["dependencies"]
    told = [f"{name} {pinned[name]}" for name in names]
    told += [f"{name} {node[name]} (Node)" for name in ("openai", "ai")]
    return ", ".join(told)


def table(clients: Sequence[str], rows: list[list[str]]) -> str:
    lines = [["fault", "options", *clients], ["---"] * (len(clients) + 2)]
    for row, (_, options, _, _) in zip(rows, FAULTS, strict=True):
        shown = options.replace("{inside}", "N").replace("{length}", "length")
        lines.append([row[0], f"`{shown}`" if shown else "", *row[1:]])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


PAGE = """# What clients make of broken streams

One short stream of each format, broken in every way that a [replay](replay.md) can, and what real
clients did: `ok` where the text was whole, the type of the exception, **silently short** where a
client ended without an error and without the whole text, **hangs** where it still waited after
twelve seconds.

{versions}. Each had a time limit of {timeout:g} seconds where it takes one, and no retries except
where the row says "own retries": then those that the client makes by itself. `openai_responses` is
the SDK's `responses`, `node_ai` the AI SDK with `@ai-sdk/openai-compatible`.

`python bench/replay.py faults --table docs/replay-faults.md` makes this page.

{table}"""


# -- which ----------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("bytes", "times", "through", "faults"))
    parser.add_argument("--corpus", type=Path, action="append", default=[])
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--only", choices=tuple(CLIENTS), action="append")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--python", type=Path, default=Path("var/bench-callers/python"))
    parser.add_argument("--node", type=Path, default=Path("var/bench-callers/node"))
    chosen = parser.parse_args()
    clients = chosen.only or list(CLIENTS)
    if chosen.what == "faults":
        rows = faults(clients, environments(chosen.python, chosen.node))
        told = table(clients, rows)
        page = PAGE.format(versions=versions(), timeout=TIMEOUT_SECONDS, table=told)
        if chosen.table:
            chosen.table.write_text(page)
        print(told)
        return
    streams = [*samples(), *of_corpora(chosen.corpus, chosen.streams)]
    if chosen.what == "bytes":
        compare_bytes(streams)
    elif chosen.what == "times":
        compare_times(streams)
    else:
        read_through(streams, clients, environments(chosen.python, chosen.node))


if __name__ == "__main__":
    main()
