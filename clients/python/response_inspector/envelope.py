"""Writes a recording as a line of a batch: an exchange envelope of the REST interface."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from typing import Any, NamedTuple

from response_inspector import credentials
from response_inspector.codings import decoded_reads
from response_inspector.labels import bounded_tags
from response_inspector.recording import KEPT_BYTES, Recording

METADATA_BYTES = 60_000
"""The API refuses a capture with more of it."""

Texts = list[tuple[str, str]]
Reads = list[tuple[int, bytes]]


class Line(NamedTuple):
    id: str
    """Id of the recording."""
    text: bytes
    """With its newline."""


def line_of(recording: Recording) -> Line:
    headers = credentials.header_texts(recording.request_headers)
    secrets = credentials.secrets_of(recording.url, headers)
    envelope = {
        "response": _response(recording, secrets),
        "request": _request(recording, headers, secrets),
        "started_at": _moment(recording.started_at),
        "outcome": recording.outcome,
        "measured_by": "client",
        "tags": bounded_tags(recording.labels.tags),
        "metadata": _metadata(recording),
        "idempotency_key": recording.id,
    }
    text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    return Line(recording.id, text.encode("utf-8", "replace") + b"\n")


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="microseconds")


def _request(recording: Recording, headers: Texts, secrets: tuple[bytes, ...]) -> dict[str, Any]:
    request: dict[str, Any] = {
        "method": recording.method,
        "url": credentials.clean_url(recording.url),
        "headers": credentials.clean_request_headers(headers),
    }
    body = recording.request_body
    if body is not None and len(body) <= KEPT_BYTES:
        request.update(_spelt("body", credentials.mask_request_body(body, secrets)))
    return request


def _response(recording: Recording, secrets: tuple[bytes, ...]) -> dict[str, Any]:
    headers = credentials.header_texts(recording.response_headers)
    reads, is_decoded = _masked_reads(recording.reads, headers, secrets)
    if is_decoded:
        headers = [each for each in headers if each[0].lower() not in _OF_CODING]
    response: dict[str, Any] = {"reads": list(_timed(recording, reads))}
    if recording.status is not None:
        response["status"] = recording.status
        response["headers"] = credentials.clean_response_headers(headers)
    return response


_OF_CODING = ("content-encoding", "content-length")


def _masked_reads(reads: Reads, headers: Texts, secrets: tuple[bytes, ...]) -> tuple[Reads, bool]:
    """Return the reads without the secrets, and whether they had to be decoded for it."""
    coding = next((value for name, value in headers if name.lower() == "content-encoding"), "")
    if not secrets:
        return reads, False
    if coding.strip().lower() in ("", "identity"):
        return _masked(reads, secrets), False
    decoded = decoded_reads(coding, reads)
    if decoded is None:
        return reads, False
    masked = _masked(decoded, secrets)
    return (reads, False) if masked is decoded else (masked, True)


def _masked(reads: Reads, secrets: tuple[bytes, ...]) -> Reads:
    """Return the reads themselves where none of the secrets is in them, across their borders."""
    body = b"".join([data for _, data in reads])
    masked = credentials.mask(body, secrets)
    return reads if masked is body else list(_cut(masked, reads))


def _cut(body: bytes, reads: Reads) -> Iterator[tuple[int, bytes]]:
    start = 0
    for at, data in reads:
        yield at, body[start : start + len(data)]
        start += len(data)


def _timed(recording: Recording, reads: Reads) -> Iterable[dict[str, Any]]:
    """Microseconds from the moment the request was sent; from the beginning of the call where the
    transport does not tell that one, or an answer came before it.
    """
    sent = recording.sent_ns
    is_sent_first = sent is not None and (not reads or sent <= reads[0][0])
    origin = sent if sent is not None and is_sent_first else recording.began_ns
    for at, data in reads:
        # Rounded up: a first read at 0 would say that nobody knows when the request was sent.
        yield {"at_us": -((origin - at) // 1000), **_spelt("data", data)}


def _spelt(name: str, data: bytes) -> dict[str, str]:
    """As text, or in base64 where it is none."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {f"{name}_b64": base64.b64encode(data).decode()}
    return {name: text}


def _metadata(recording: Recording) -> dict[str, Any]:
    said = dict(recording.labels.metadata)
    if recording.error is not None:
        said["transport_error"] = recording.error
    try:
        text = json.dumps(said, default=str, allow_nan=False)
    except (TypeError, ValueError):
        return {"left_out": "metadata that is no JSON"}
    if len(text) > METADATA_BYTES:
        return {"left_out": f"metadata of {len(text)} bytes"}
    metadata: dict[str, Any] = json.loads(credentials.without_keys(text))
    return metadata
