"""Entries of files as lines of a batch: envelopes with an idempotency key of their content, so that
what is sent twice is stored once.
"""

import base64
import hashlib
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Raw

from inspector.core.credentials.cleaning import clean_exchange
from inspector.core.wire.exchange import Exchange, Request, TransportOutcome
from inspector.transfer.entries import FoundEnvelope, FoundExchange
from inspector.transfer.files.registry import FileKind

KEY_PREFIX = "sent:"


class NoEnvelope(Exception):
    """Raised for an entry of which no envelope can be made; the message says why."""


def envelope_line(content: FoundExchange | FoundEnvelope, kind: FileKind) -> bytes:
    """One line with its end. Raises ``NoEnvelope``."""
    if isinstance(content, FoundEnvelope):
        return _with_key(content.text)
    return _keyed(envelope_of(content, kind))


def envelope_of(found: FoundExchange, kind: FileKind | None = None) -> dict[str, Any]:
    """Without credentials: they are removed before they leave the machine."""
    exchange, metadata, _, _ = clean_exchange(found.exchange, found.metadata, str)
    if kind is not None and kind.is_container:
        metadata = {**metadata, "file_kind": str(kind.name), "file_body": str(kind.body)}
    return {
        "response": _response(exchange),
        **({"request": _request(exchange.request)} if exchange.request else {}),
        **({"started_at": _moment(found.started_at)} if found.started_at else {}),
        **_not_usual("outcome", exchange.outcome, TransportOutcome.ENDED),
        **({"measured_by": exchange.measured_by} if exchange.measured_by else {}),
        **({"metadata": metadata} if metadata else {}),
    }


def _not_usual(name: str, value: TransportOutcome, usual: TransportOutcome) -> dict[str, str]:
    return {} if value is usual else {name: str(value)}


def _keyed(envelope: dict[str, Any]) -> bytes:
    # The same entry gives the same bytes: a key may not come with another body.
    digest = hashlib.sha256(msgspec.json.encode(envelope)).hexdigest()
    envelope["idempotency_key"] = f"{KEY_PREFIX}{digest}"
    return msgspec.json.encode(envelope) + b"\n"


def _with_key(text: bytes) -> bytes:
    """Return the envelope of somebody else, on one line, with its own key where it has one."""
    try:
        members = msgspec.json.decode(text, type=dict[str, Raw])
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise NoEnvelope(f"this is no JSON: {error}") from error
    if bytes(members.get("idempotency_key", Raw(b"null"))) == b"null":
        digest = hashlib.sha256(text).hexdigest()
        members["idempotency_key"] = Raw(f'"{KEY_PREFIX}{digest}"'.encode())
    # Members keep their text, which may be printed on several lines. In JSON a line ends only
    # between values.
    return msgspec.json.encode(members).replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"


def _response(exchange: Exchange) -> dict[str, Any]:
    response: dict[str, Any] = {}
    if exchange.status_code is not None:
        response["status"] = exchange.status_code
    headers = exchange.headers
    if headers is None and exchange.content_type is not None:
        headers = (("content-type", exchange.content_type),)
    if headers is not None:
        response["headers"] = headers
    if len(exchange.reads) == 1 and exchange.reads[0].at_us is None:
        return response | _body("body", exchange.reads[0].data)
    if any(read.at_us is None for read in exchange.reads):
        return response | _body("body", exchange.body)
    response["reads"] = [{"at_us": r.at_us, **_body("data", r.data)} for r in exchange.reads]
    return response


def _request(request: Request) -> dict[str, Any]:
    told = {"method": request.method, "url": request.url, "headers": request.headers}
    known = {name: value for name, value in told.items() if value is not None}
    return known if request.body is None else known | _body("body", request.body)


def _body(name: str, content: bytes) -> dict[str, str]:
    try:
        return {name: content.decode()}
    except UnicodeDecodeError:
        return {f"{name}_b64": base64.b64encode(content).decode()}


def _moment(moment: datetime) -> str:
    return moment.isoformat()
