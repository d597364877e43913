"""Reading against the least that any client does, and against three peers: how fast, in one run.

    python3 bench/core.py [--rounds N] [--chunks N] [--peers FOLDER]
    python3 bench/core.py --recordings FOLDER [--peers FOLDER]

All readers take the same streams, one after the other in every round, so that a busy machine is
busy for all; told are the medians. The floor is what nobody can leave out: cutting at blank lines
and decoding into typed structs that keep five fields. ``analyze`` gives everything: choices, tape,
times, usage, verdict, findings. The peers (OpenAI's and Anthropic's accumulators, litellm's
builder) run in an environment of their own, made from bench/peers.lock in FOLDER at the first run;
without --peers they are left out. Needs the environment of the project.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import msgspec
from environments import python_of
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from inspector.core.reading import analyze  # noqa: E402
from inspector.core.wire.exchange import Exchange, Read  # noqa: E402

READ_BYTES = 16_384
DONE = b"[DONE]"
PEERS = ("openai", "anthropic", "litellm")
PATIENCE_SECONDS = 10
"""A peer that took longer over one stream (as the accumulator does over logprobs) is let off."""
GROWTH = (12_500, 25_000, 50_000, 100_000)

Reader = Callable[[bytes], object]


class Delta(msgspec.Struct):
    role: str | None = None
    content: str | None = None
    tool_calls: list[dict[str, object]] | None = None


class ChunkChoice(msgspec.Struct):
    index: int
    delta: Delta
    finish_reason: str | None = None


class Chunk(msgspec.Struct):
    id: str
    created: int
    model: str
    choices: list[ChunkChoice]


class BlockDelta(msgspec.Struct):
    type: str | None = None
    text: str | None = None
    partial_json: str | None = None


class TypedEvent(msgspec.Struct):
    """An event of Anthropic's Messages, or of Responses, whose delta is a text."""

    type: str
    index: int | None = None
    output_index: int | None = None
    delta: BlockDelta | str | None = None


_decode_chunk = msgspec.json.Decoder(Chunk).decode
_decode_event = msgspec.json.Decoder(TypedEvent).decode


# -- streams --------------------------------------------------------------------------------------


def stream(
    chunks: int, choice: str = '"index":0,"delta":{"content":"WORD"}', more: str = ""
) -> bytes:
    """Return a stream whose chunks differ as a provider's do: WORD is another one in each."""
    words = random.Random(1)
    head = (
        '{"id":"chatcmpl-8YMnDbsifkBeAs814beb0dFOJdPeG","object":"chat.completion.chunk",'
        '"created":1795183339,"model":"parcel-large-2","system_fingerprint":"fp_7c1e90",'
    )
    lines = []
    for number in range(chunks):
        word = " " + "".join(words.choices("abcdefghijklmnop", k=words.randrange(1, 9)))
        body = f'{head}"choices":[{{{choice},"finish_reason":null}}]{more}}}'
        lines.append(body.replace("WORD", word).replace("TURN", str(number % 2)))
    lines.append(f'{head}"choices":[{{"index":0,"delta":{{}},"finish_reason":"stop"}}]}}')
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()


def typed(*events: str) -> bytes:
    """Return a stream of named events."""
    told = (f"event: {json.loads(event)['type']}\ndata: {event}\n\n" for event in events)
    return "".join(told).encode()


def words(count: int) -> list[str]:
    of = random.Random(1)
    letters = (of.choices("abcdefghijklmnop", k=of.randrange(1, 9)) for _ in range(count))
    return [" " + "".join(each) for each in letters]


def messages(chunks: int) -> bytes:
    """Anthropic's Messages: one text."""
    head = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"'
    grown = (f'{head}{word}"}}}}' for word in words(chunks))
    return typed(
        '{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",'
        '"model":"parcel-large-2","content":[],"stop_reason":null,"stop_sequence":null,'
        '"usage":{"input_tokens":9,"output_tokens":1}}}',
        '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        *grown,
        '{"type":"content_block_stop","index":0}',
        '{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},'
        '"usage":{"output_tokens":9}}',
        '{"type":"message_stop"}',
    )


def responses(chunks: int) -> bytes:
    """Responses: one text, with numbers and padding."""
    at = '"item_id":"msg_1","output_index":0,"content_index":0'
    grown = (
        f'{{"type":"response.output_text.delta","sequence_number":{number},{at},"delta":"{word}",'
        f'"logprobs":[],"obfuscation":"{word.strip()}"}}'
        for number, word in enumerate(words(chunks), 3)
    )
    response = '"response":{"id":"resp_1","object":"response","status":"STATE","output":[]}'
    return typed(
        f'{{"type":"response.created","sequence_number":0,{response.replace("STATE", "queued")}}}',
        '{"type":"response.output_item.added","sequence_number":1,"output_index":0,'
        '"item":{"id":"msg_1","type":"message","role":"assistant","content":[]}}',
        f'{{"type":"response.content_part.added","sequence_number":2,{at},'
        '"part":{"type":"output_text","text":"","annotations":[]}}',
        *grown,
        f'{{"type":"response.completed","sequence_number":{chunks + 3},'
        f"{response.replace('STATE', 'completed')}}}",
    )


STREAMS: dict[str, Callable[[int], bytes]] = {
    "text": stream,
    "text, padded": lambda chunks: stream(chunks, more=',"usage":null,"obfuscation":"WORD"'),
    "not ASCII": lambda chunks: stream(chunks, '"index":0,"delta":{"content":"日本WORD"}'),
    "two choices": lambda chunks: stream(chunks, '"index":TURN,"delta":{"content":"WORD"}'),
    "tool call": lambda chunks: stream(
        chunks, '"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"WORD"}}]}'
    ),
    "logprobs": lambda chunks: stream(
        chunks,
        '"index":0,"delta":{"content":"WORD"},"logprobs":{"content":[{"token":"WORD",'
        '"logprob":-0.25,"bytes":[32,119],"top_logprobs":[{"token":"WORD","logprob":-0.25}]}]}',
    ),
    "usage each": lambda chunks: stream(
        chunks, more=',"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}'
    ),
    "Messages": messages,
    "Responses": responses,
}


# -- readers --------------------------------------------------------------------------------------


def analyzed(body: bytes) -> object:
    return analyze(Exchange.of_body(body))


def analyzed_timed(body: bytes) -> object:
    """Every event in a read of its own, with its time: as a proxy sees it."""
    events = body.split(b"\n\n")
    reads = (Read(at_us, event + b"\n\n") for at_us, event in enumerate(events, 1) if event)
    return analyze(Exchange.of_reads(reads))


def texts_of(body: bytes) -> Iterator[bytes]:
    """Return the data of each event."""
    return (block.rpartition(b"data: ")[2] for block in body.split(b"\n\n") if block)


def floor(body: bytes) -> object:
    decode: Callable[[bytes], object] = _decode_chunk
    if body.startswith(b"event:"):
        decode = _decode_event
    return [decode(text) for text in texts_of(body) if text != DONE]


def split_and_loaded(body: bytes) -> object:
    return [json.loads(text) for text in texts_of(body) if text != DONE]


READERS: dict[str, Reader] = {
    "floor": floor,
    "analyze": analyzed,
    "analyze, timed reads": analyzed_timed,
    "split + json": split_and_loaded,
}


class Peers:
    """The process that runs the peers."""

    def __init__(self, folder: Path) -> None:
        python = python_of(folder, HERE / "peers.lock")
        self._process = subprocess.Popen(
            [python, HERE / "peers.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def seconds(self, reader: str, path: Path) -> float | None:
        """None where the peer raised."""
        assert self._process.stdin is not None
        print(reader, path, file=self._process.stdin, flush=True)
        answer = self._answer()
        return None if answer.startswith("raised") else float(answer)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


# -- measuring ------------------------------------------------------------------------------------


def seconds(reader: Reader, body: bytes) -> float:
    started = time.perf_counter()
    reader(body)
    return time.perf_counter() - started


def rounds_of(body: bytes, rounds: int, peers: Peers | None) -> dict[str, list[float | None]]:
    """Return what each reader took in every round, in turns."""
    taken: dict[str, list[float | None]] = {}
    with tempfile.NamedTemporaryFile(suffix=".sse") as file:
        path = Path(file.name)
        path.write_bytes(body)
        for _ in range(rounds):
            for name, reader in READERS.items():
                taken.setdefault(name, []).append(seconds(reader, body))
            for peer in PEERS if peers else ():
                before = taken.setdefault(peer, [])
                if peers and sum(filter(None, before)) < PATIENCE_SECONDS:
                    before.append(peers.seconds(peer, path))
    return taken


def compared(chunks: int, rounds: int, peers: Peers | None) -> Table:
    names = [*READERS, *(PEERS if peers else ())]
    table = Table("stream", "MB", *names, "of floor", "× openai", box=None, title="µs per chunk")
    for name, make in STREAMS.items():
        body = make(chunks)
        taken = rounds_of(body, rounds, peers)
        best = {key: median(v) for key, each in taken.items() if (v := [s for s in each if s])}
        told = [f"{best[key] / chunks * 1e6:.2f}" if key in best else "raised" for key in names]
        of_floor = f"{best['analyze'] / best['floor']:.2f}"
        times = f"{best['openai'] / best['analyze']:.0f}" if "openai" in best else "–"
        table.add_row(name, f"{len(body) / 1e6:.1f}", *told, of_floor, times)
    return table


def peak_mib(body: bytes) -> float:
    """Return what a reading holds at most beside the body; counted in a run of its own."""
    tracemalloc.start()
    analyzed(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def grown(rounds: int) -> Table:
    """Time and memory by length."""
    heads = ("chunks", "MB", "seconds", "floor", "µs per chunk", "MB/s", "peak MiB")
    table = Table(*heads, box=None)
    for chunks in GROWTH:
        body = stream(chunks)
        pairs = [(seconds(analyzed, body), seconds(floor, body)) for _ in range(rounds)]
        taken, least = (median(column) for column in zip(*pairs, strict=True))
        table.add_row(
            f"{chunks:,}",
            f"{len(body) / 1e6:.1f}",
            f"{taken:.3f}",
            f"{least:.3f}",
            f"{taken / chunks * 1e6:.2f}",
            f"{len(body) / taken / 1e6:.1f}",
            f"{peak_mib(body):.0f}",
        )
    return table


def recorded(folder: Path, peers: Peers | None) -> Table:
    """Real streams, each read by everybody in turns: best of three, added up."""
    names = ("floor", "analyze", *(PEERS if peers else ()))
    total, read, ratios = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0), []
    beside: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    events = 0
    for path in sorted(folder.rglob("*.sse")):
        body = path.read_bytes()
        if b"chat.completion.chunk" not in body:
            continue
        events += body.count(b"data:")
        best = {name: _best(name, path, body, peers) for name in names}
        for name, taken in best.items():
            total[name] += taken or 0.0
            read[name] += taken is not None
            if taken and (least := best["floor"]):
                beside[name].append((taken, least))
        if best.get("openai") and best["analyze"]:
            ratios.append((best["openai"], best["analyze"]))
    heads = ("reader", "streams read", "seconds", "µs per event", "of floor")
    table = Table(*heads, box=None, title="recordings")
    for name in names:
        each = total[name] / events * 1e6
        # Some streams the floor does not read: its types are those of most chunks, not of all.
        taken, least = (sum(column) for column in zip(*beside[name], strict=True))
        of_floor = f"{taken / least:.2f}"
        table.add_row(name, str(read[name]), f"{total[name]:.3f}", f"{each:.2f}", of_floor)
    if ratios:
        theirs, ours = (sum(column) for column in zip(*ratios, strict=True))
        middle = median(one / other for one, other in ratios)
        table.caption = (
            f"openai takes {theirs / ours:.1f} times as long in all, {middle:.1f} in the median"
        )
    return table


def _best(name: str, path: Path, body: bytes, peers: Peers | None) -> float | None:
    """None where the reader raises."""
    try:
        if name in PEERS and peers:
            taken = [peers.seconds(name, path) for _ in range(3)]
        else:
            taken = [seconds(READERS[name], body) for _ in range(3)]
    except msgspec.MsgspecError:
        return None
    return min((one for one in taken if one is not None), default=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--peers", type=Path, metavar="FOLDER")
    parser.add_argument("--recordings", type=Path, metavar="FOLDER", help="of .sse files")
    asked = parser.parse_args()
    peers = Peers(asked.peers) if asked.peers else None
    console = Console(width=140)
    if asked.recordings:
        console.print(recorded(asked.recordings, peers))
    else:
        console.print(compared(asked.chunks, asked.rounds, peers))
        console.print(grown(asked.rounds))
    if peers:
        peers.close()


if __name__ == "__main__":
    main()
