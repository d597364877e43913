"""Recordings through the API of a running installation: all kept, equal, inspected, how fast?

    python3 bench/ingest.py http://127.0.0.1:8000 KEY FOLDER [--manifest FILE]

Sends every recording below FOLDER (or those that a manifest of JSON lines names in "file"), waits
until all are inspected, compares the SHA-256 of what comes back, and counts the verdicts. Standard
library only; loopback only; bounded in time.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local
from typing import Any
from urllib.parse import urlsplit

CONTENT_TYPES = {
    ".json": "application/json",
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".txt": "text/plain",
}
CLIENTS = 4
LOOPBACK = ("127.0.0.1", "localhost", "::1")
LIMIT_SECONDS = 300.0


class Client:
    """One connection for each thread, opened again where the server closed it."""

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        if parts.hostname not in LOOPBACK:
            raise SystemExit("Load goes to this machine only.")
        self._address = (parts.hostname, parts.port or 80)
        self._headers = {"Authorization": f"Bearer {key}"}
        self._mine = local()

    def call(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> Any:
        headers = self._headers | ({"Content-Type": kind} if kind else {})
        for attempt in range(3):
            try:
                connection = self._connection()
                connection.request(method, path, body, headers)
                response = connection.getresponse()
                return response.status, response.read()
            except (ConnectionError, http.client.HTTPException):
                self._mine.connection = None
                time.sleep(0.2 * attempt)
        return 0, b""

    def _connection(self) -> http.client.HTTPConnection:
        if getattr(self._mine, "connection", None) is None:
            self._mine.connection = http.client.HTTPConnection(*self._address, timeout=30)
        connection: http.client.HTTPConnection = self._mine.connection
        return connection


def recordings(folder: Path, manifest: Path | None) -> list[Path]:
    if manifest:
        return [folder / json.loads(line)["file"] for line in manifest.open()]
    return sorted(path for path in folder.rglob("*") if path.suffix in CONTENT_TYPES)


def send(client: Client, path: Path) -> tuple[int, str, str]:
    body = path.read_bytes()
    status, answer = client.call("POST", "/api/v1/captures/", body, CONTENT_TYPES[path.suffix])
    id_ = json.loads(answer)["id"] if status == 202 else ""
    return status, id_, hashlib.sha256(body).hexdigest()


def wait(client: Client, id_: str, end: float) -> tuple[str, str]:
    """State and verdict once the capture is settled, or when time is up."""
    while True:
        _, answer = client.call("GET", f"/api/v1/captures/{id_}/")
        capture = json.loads(answer or "{}")
        if capture.get("state") in ("inspected", "quarantined") or time.monotonic() > end:
            analysis = capture.get("analysis") or {}
            return capture.get("state", "?"), analysis.get("verdict", "?")
        time.sleep(0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("key")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--manifest", type=Path)
    options = parser.parse_args()
    client = Client(options.url, options.key)
    paths = recordings(options.folder, options.manifest)
    started = time.monotonic()
    end = started + LIMIT_SECONDS
    with ThreadPoolExecutor(CLIENTS) as pool:
        sent = list(pool.map(lambda path: send(client, path), paths))
        accepted_s = time.monotonic() - started
        ids = [id_ for _, id_, _ in sent if id_]
        # The newest are last in the queue: asking them first finds the end of the work soonest.
        settled = list(pool.map(lambda id_: wait(client, id_, end), reversed(ids)))
        inspected_s = time.monotonic() - started
        raw = pool.map(lambda id_: client.call("GET", f"/api/v1/captures/{id_}/raw/")[1], ids)
        hashes = [hash_ for _, id_, hash_ in sent if id_]
        equal = sum(hashlib.sha256(r).hexdigest() == h for r, h in zip(raw, hashes, strict=True))
    print(f"{len(paths)} recordings, answers {dict(Counter(status for status, _, _ in sent))}")
    print(f"last accepted after {accepted_s:.2f} s, last seen settled after {inspected_s:.2f} s")
    print(f"states {dict(Counter(state for state, _ in settled))}")
    print(f"raw bytes equal by SHA-256: {equal} of {len(ids)}")
    for verdict, count in Counter(verdict for _, verdict in settled).most_common():
        print(f"  {count:5} {verdict}")


if __name__ == "__main__":
    main()
