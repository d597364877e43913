"""Passes a response on as it comes, and notes when each piece came. Afterwards it is sent with
these times. The pipe comes first: whatever happens to the sending, it is a warning.
"""

import os
import sys
import time
import uuid
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from inspector.core.wire.exchange import Exchange, Read, TransportOutcome
from inspector.core.wire.recorded_reads import line_of
from inspector.operations.remote.client import (
    CAPTURES_PATH,
    RemoteError,
    add_client_options,
    client_of,
)
from inspector.transfer.entries import FoundExchange
from inspector.transfer.files.envelope_lines import envelope_of

EXAMPLES = (
    ("curl -N …  | {program} tee --send", "see the answer as it streams, and keep it"),
    ("curl -iN … | {program} tee --send", "with status and headers, which curl writes in front"),
    ("curl -N … | {program} tee --reads answer.reads.jsonl > answer.sse", "into a file"),
)
ENVELOPE_TYPE = "application/vnd.inspector.exchange+json"
PIECE_BYTES = 1 << 16
"""Bytes that a pipe of Linux holds."""
MOST_KEPT_BYTES = 32 << 20
"""As much as a server takes of one body, if its operator says nothing else."""
TIMEOUT_SECONDS = 10.0
"""The shell waits for the command: a server that hangs costs a warning, not the prompt."""
PATIENCE_SECONDS = 5.0
"""Shorter than of `send`: nothing is lost that the pipe did not pass on."""
STANDARD_INPUT, STANDARD_OUTPUT = 0, 1


@dataclass
class NotedReads:
    """The pieces of a response as they came; microseconds count from the first."""

    reads: list[Read] = field(default_factory=list)
    started_at: datetime | None = None
    outcome: TransportOutcome = TransportOutcome.ENDED
    kept_bytes: int = 0
    _first_ns: int = 0

    def note(self, piece: bytes, now_ns: int) -> None:
        if not self.reads:
            self._first_ns = now_ns
        if self.kept_bytes + len(piece) > MOST_KEPT_BYTES:
            # The rest is passed on and not kept: memory is not the pipe's to fill.
            self.outcome = TransportOutcome.CAPPED
        if self.outcome is not TransportOutcome.CAPPED:
            self.reads.append(Read((now_ns - self._first_ns) // 1000, piece))
            self.kept_bytes += len(piece)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--send", action="store_true", help="send the response when it has ended")
    parser.add_argument("--reads", metavar="FILE", help="write a recording of reads there")
    parser.add_argument("--tag", action="append", default=[], help="of the capture; repeatable")
    parser.add_argument("--content-type", metavar="TYPE", help="default: what the bytes look like")
    add_client_options(parser, PATIENCE_SECONDS)


def run(options: Namespace) -> int:
    if not options.send and not options.reads:
        raise RemoteError("tee needs --send, --reads FILE, or both")
    noted = passed_on()
    for keep in (_write_reads, _send):
        try:
            keep(noted, options)
        except (RemoteError, OSError) as error:
            print(f"tee: not kept: {error}", file=sys.stderr)
    return 0


def passed_on(clock_ns: Callable[[], int] = time.monotonic_ns) -> NotedReads:
    """Copy standard input to standard output, each piece before anything else is done with it."""
    noted = NotedReads()
    try:
        while piece := os.read(STANDARD_INPUT, PIECE_BYTES):
            now_ns = clock_ns()
            _write_all(piece)
            noted.note(piece, now_ns)
    except BrokenPipeError:
        noted.note(piece, now_ns)
        noted.outcome = TransportOutcome.CLIENT_CANCELLED
        # Without this, Python would fail again when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), STANDARD_OUTPUT)
    except KeyboardInterrupt:
        noted.outcome = TransportOutcome.CLIENT_CANCELLED
    return noted


def _write_all(piece: bytes) -> None:
    left = memoryview(piece)
    while left:
        left = left[os.write(STANDARD_OUTPUT, left) :]


def _write_reads(noted: NotedReads, options: Namespace) -> None:
    if options.reads:
        with open(options.reads, "wb") as file:
            file.writelines(map(line_of, noted.reads))


def _send(noted: NotedReads, options: Namespace) -> None:
    if not options.send:
        return
    if not noted.reads:
        raise RemoteError("nothing came")
    exchange = exchange_of(noted, options.content_type)
    body = msgspec.json.encode(envelope_of(FoundExchange(exchange)))
    client, key = client_of(options, TIMEOUT_SECONDS), str(uuid.uuid4())
    client.post_again(CAPTURES_PATH, body, ENVELOPE_TYPE, {"tag": options.tag}, key)


def exchange_of(noted: NotedReads, content_type: str | None = None) -> Exchange:
    """Return the exchange that came, with status and headers where ``curl -i`` wrote them
    in front.
    """
    head, reads = _head_and_reads(noted.reads)
    status, headers = _parsed_head(head) if head else (None, None)
    sent_type = next((v for n, v in headers or () if n.lower() == "content-type"), None)
    return Exchange(
        reads=tuple(reads),
        content_type=content_type or sent_type or _looks_like(reads),
        status_code=status,
        headers=headers,
        outcome=noted.outcome,
    )


def _head_and_reads(reads: list[Read]) -> tuple[bytes, list[Read]]:
    """Return the last of the heads of HTTP in front, and the reads of the body."""
    content = b"".join(read.data for read in reads)
    head, begin = b"", 0
    while content[begin : begin + 5] == b"HTTP/":
        end = content.find(b"\r\n\r\n", begin)
        if end < 0:
            break
        # An interim answer (100 Continue) or that of a proxy stands before it.
        head, begin = content[begin:end], end + 4
    return head, list(_from(reads, begin))


def _from(reads: list[Read], begin: int) -> Iterator[Read]:
    for read in reads:
        if begin < len(read.data):
            yield Read(read.at_us, read.data[begin:])
        begin = max(begin - len(read.data), 0)


def _parsed_head(head: bytes) -> tuple[int | None, tuple[tuple[str, str], ...]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    code = first.split(" ", 2)[1] if " " in first else ""
    pairs = (line.partition(":") for line in lines if ":" in line)
    status = int(code) if code.isdigit() and 100 <= int(code) <= 999 else None
    return status, tuple((name, value.strip()) for name, _, value in pairs)


def _looks_like(reads: list[Read]) -> str | None:
    beginning = reads[0].data.lstrip() if reads else b""
    if beginning[:1] in (b"{", b"["):
        return "application/json"
    is_stream = beginning.startswith((b"data:", b"event:", b"id:", b"retry:", b":"))
    return "text/event-stream" if is_stream else None
