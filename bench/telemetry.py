"""Spans in, captures out, and back: the instrumentations of OpenAI's SDK that programs have.

    .venv/bin/python bench/telemetry.py PYTHON

PYTHON is the interpreter of an environment that has opentelemetry-exporter-otlp-proto-http and
opentelemetry-instrumentation-openai-v2, opentelemetry-instrumentation-openai and
openinference-instrumentation-openai; what it lacks is named and left out. Nothing is installed.

Each program makes four calls through the proxy of an installation of this checkout to a provider of
this script: whole, streamed, one that calls a tool, one that fails. It sends its spans to the
installation, and the installation sends its captures to a collector of this script. Printed is what
was told of each call beside what was recorded of it, and what went out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from capturing import HOST, Installation, installed, manage  # noqa: E402
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: E402
    ExportTraceServiceRequest,
)

PROGRAM = ROOT / "bench" / "callers" / "instrumented.py"
NAMES = ("official", "openllmetry", "openinference")
CALLS = 4
SETTLED_WITHIN_SECONDS = 60
TEXT = "Grüezi aus Chur"
USAGE = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
ANSWER = {"id": "chatcmpl-1", "created": 1795183339, "model": "gpt-5.4-2026-03-05"}
TOLD = """
SELECT i.dialect, i.verdict, i.result, coalesce(i.model, '-'), i.finish_reasons,
       i.prompt_tokens, i.completion_tokens, coalesce(i.answer_line, '-'), i.trace, i.span
FROM archive_capture c JOIN archive_inspection i ON i.capture_id = c.id
WHERE c.id NOT IN (SELECT id FROM archive_capture WHERE tags LIKE '%sample%')
  AND i.trace IS NOT NULL ORDER BY c.started_at
"""
ENVIRONMENT = {
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
    "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
}


class Provider(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked.get("user") == "fail":
            return self._send(429, b'{"error":{"message":"slow down","type":"rate_limit"}}')
        if asked.get("stream"):
            return self._send(200, b"".join(map(event, chunks())), "text/event-stream")
        return self._send(200, json.dumps(whole("tools" in asked)).encode())

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, *_: object) -> None:
        """Nothing is printed."""


def whole(calls: bool) -> dict[str, object]:
    function = {"name": "weather", "arguments": '{"town":"Chur"}'}
    call = {"id": "call_1", "type": "function", "function": function}
    said = {"content": None, "tool_calls": [call]} if calls else {"content": TEXT}
    reason = "tool_calls" if calls else "stop"
    message = {"index": 0, "message": {"role": "assistant", **said}, "finish_reason": reason}
    return {**ANSWER, "object": "chat.completion", "choices": [message], "usage": USAGE}


def chunks() -> Iterator[bytes]:
    head = {**ANSWER, "object": "chat.completion.chunk"}
    for piece in ("Grüezi", " aus", " Chur"):
        delta = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
        yield json.dumps({**head, "choices": [delta]}).encode()
    yield json.dumps(
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    ).encode()
    yield json.dumps({**head, "choices": [], "usage": USAGE}).encode()
    yield b"[DONE]"


def event(data: bytes) -> bytes:
    return b"data: " + data + b"\n\n"


class Collecting(BaseHTTPRequestHandler):
    traces: ClassVar[list[str]] = []
    """Of each span that came."""
    metrics = 0

    def do_POST(self) -> None:
        body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/v1/metrics":
            Collecting.metrics += 1
        else:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    Collecting.traces += [span.trace_id.hex() for span in scope.spans]
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_request(self, *_: object) -> None:
        """Nothing is printed."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer((HOST, 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{HOST}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def told_by(name: str, python: str, ours: Installation, key: str) -> bool:
    web = f"http://{HOST}:{ours.web_port}"
    more = {
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{web}/v1/traces",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS": f"authorization=Bearer%20{key}",
    }
    command = [python, str(PROGRAM), name, f"{ours.base}/v1"]
    environment = {"PATH": os.environ["PATH"], **ENVIRONMENT, **more}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name} is left out: {done.stderr.strip().splitlines()[-1]}")
    return not done.returncode


def wait_for(ours: Installation, captures: int, spans: int = 0) -> None:
    deadline = time.monotonic() + SETTLED_WITHIN_SECONDS
    while len(ours.ask(TOLD)) < captures or len(sent(ours)) < spans:
        if time.monotonic() > deadline:
            print(f"after {SETTLED_WITHIN_SECONDS} s not all there")
            return
        time.sleep(0.2)


def sent(ours: Installation) -> list[str]:
    """Traces of the spans that went out, but for those of samples."""
    ours_own = {row[8] for row in ours.ask(TOLD)}
    return [trace for trace in Collecting.traces if trace in ours_own]


def show(name: str, rows: list[tuple[object, ...]]) -> None:
    print(f"\n{name}: {len(rows)} captures")
    told = [row for row in rows if row[0] == "otel-genai"]
    for row in told:
        recorded = [each for each in rows if each[0] != "otel-genai" and each[8] == row[8]]
        beside = recorded[0] if recorded else None
        is_same = beside is not None and row[2:8] == beside[2:8]
        by_span = beside is not None and row[9] == beside[9]
        print(" told    ", *row[1:8])
        print(" recorded", *(beside[1:8] if beside else ("none with this trace",)))
        print(f"          same: {is_same}, by trace: {beside is not None}, by span: {by_span}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python", help="interpreter of the environment with the instrumentations")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Provider) as provider,
        serving(Collecting) as collector,
        installed(Path(folder), provider, OTEL_EXPORTER_OTLP_ENDPOINT=collector) as ours,
    ):
        environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
        environment |= {"INSPECTOR_BOOTSTRAP": "0", "INSPECTOR_DATA_DIR": folder}
        made = ("create_api_key", "--team", "default", "--name", "spans", "--scope", "telemetry")
        key = manage(environment, *made)
        seen = 0
        for name in NAMES:
            if told_by(name, asked.python, ours, key):
                wait_for(ours, seen + 2 * CALLS)
                rows = ours.ask(TOLD)
                show(name, rows[seen:])
                seen = len(rows)
        wait_for(ours, seen, seen // 2)
        print(
            f"\nout: {len(sent(ours))} spans of {seen // 2} recorded calls, none of the told ones;"
        )
        print(f"{Collecting.metrics} posts of metrics")


if __name__ == "__main__":
    main()
