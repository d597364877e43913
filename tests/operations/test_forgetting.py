"""Traces that a real installation leaves of a deleted capture in its files."""

import http.client
import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from zstandard import ZstdDecompressor, ZstdError

from tests.operations.installation import Installation, wait_until

pytestmark = [pytest.mark.thorough, pytest.mark.embedded, pytest.mark.timeout(600)]

FRAME = b"\x28\xb5\x2f\xfd"
FRAME_BYTES = 1 << 16
PLACES = (
    *("tag", "note", "metadata", "address", "content type", "response header", "response id"),
    *("model", "content", "tool", "finish", "extra", "asked model", "prompt"),
    *("comment", "user", "triage"),
)
"""Where a marker is planted. The idempotency key is not among them: it stays by promise."""


def marker(place: str) -> str:
    return f"MARK{place.replace(' ', '')}MARK"


def ask(at: Installation, key: str, method: str, path: str, value: Any = None) -> Any:
    envelope = "application/vnd.inspector.exchange+json"
    kind = envelope if path.startswith("/api/v1/captures/?") else "application/json"
    headers = {"Authorization": f"Bearer {key}", "Content-Type": kind}
    connection = http.client.HTTPConnection("127.0.0.1", at.port, timeout=60)
    connection.request(method, path, json.dumps(value).encode() if value else b"", headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    assert response.status < 300, body
    return json.loads(body)


def envelope() -> dict[str, Any]:
    said = {place: marker(place) for place in PLACES}
    call = {"id": "c", "type": "function", "function": {"name": said["tool"], "arguments": "{}"}}
    answer = {
        "id": said["response id"],
        "object": "chat.completion",
        "created": 1795183339,
        "model": said["model"],
        "extra": said["extra"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": said["content"], "tool_calls": [call]},
                "finish_reason": said["finish"],
            }
        ],
    }
    asked = {
        "model": said["asked model"],
        "messages": [{"role": "user", "content": said["prompt"]}],
    }
    headers = {
        "content-type": f"application/json; note={said['content type']}",
        "x-answered-by": said["response header"],
    }
    return {
        "response": {"status": 200, "headers": headers, "body": json.dumps(answer)},
        "request": {
            "method": "POST",
            "url": f"https://llm.example/{said['address']}",
            "body": json.dumps(asked),
        },
        "tags": [said["tag"]],
        "metadata": {"trace": said["metadata"]},
    }


def plant(at: Installation, key: str) -> str:
    """The path of an inspected capture with a vote on it; each place of it holds its marker."""
    sent = ask(at, key, "POST", f"/api/v1/captures/?wait=10&note={marker('note')}", envelope())
    path = f"/api/v1/captures/{sent['id']}/"
    wait_until(lambda: ask(at, key, "GET", path)["state"] == "inspected")
    token = ask(at, key, "POST", f"{path}choices/0/feedback-token/", {"expires_in": 600})
    ballot = {"feedback_token": token["feedback_token"], "outcome": "negative"}
    said = {"comment": marker("comment"), "user_id": marker("user")}
    vote = ask(at, key, "POST", "/v1/feedback", {**ballot, **said})
    triage = {"state": "resolved", "note": marker("triage")}
    ask(at, key, "PATCH", f"/api/v1/feedback/{vote['id']}/", triage)
    return path


def found_in(data_dir: Path) -> dict[str, set[str]]:
    """By file: which markers are in it, in plain or inside of what was compressed."""
    found: dict[str, set[str]] = {}
    for path in sorted(each for each in data_dir.rglob("*") if each.is_file()):
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            # Gone since the folder was listed.
            continue
        texts = [raw, *frames_of(raw)]
        here = {place for place in PLACES if any(marker(place).encode() in one for one in texts)}
        if here:
            found[path.name] = here
    return found


def frames_of(raw: bytes) -> Iterator[bytes]:
    for start in (match.start() for match in re.finditer(re.escape(FRAME), raw)):
        try:
            yield ZstdDecompressor().decompressobj().decompress(raw[start : start + FRAME_BYTES])
        except ZstdError:
            continue


def key_of(told: str) -> str:
    key = re.search(r"^ +(ri_\S+)$", told, re.MULTILINE)
    assert key
    return key[1]


def test_nothing_of_a_deleted_capture_stays_after_an_orderly_stop(
    installation: Installation,
) -> None:
    key = key_of(installation.up())
    path = plant(installation, key)
    before = found_in(installation.data_dir)
    assert set().union(*before.values()) == set(PLACES)
    ask(installation, key, "DELETE", path)
    assert installation.signal(signal.SIGINT) == 0
    assert found_in(installation.data_dir) == {}
    assert not list(installation.data_dir.glob("inspector.sqlite3-*"))


def test_nothing_of_a_deleted_capture_stays_after_a_kill_and_the_next_start(
    installation: Installation,
) -> None:
    key = key_of(installation.up())
    ask(installation, key, "DELETE", plant(installation, key))
    installation.signal(signal.SIGKILL)
    wait_until(lambda: not installation.running())
    left = {name: len(places) for name, places in found_in(installation.data_dir).items()}
    print(f"\nafter kill -9: {left}")
    installation.up()
    assert found_in(installation.data_dir) == {}
    ask(installation, key, "DELETE", plant(installation, key))
    wait_until(lambda: found_in(installation.data_dir) == {})
