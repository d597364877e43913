"""Sets of stored answers: which captures are in one, and which of them answers a request.

A set is written in one segment of the path: ``tag:checkout``, or parameters of the capture list,
``tag=checkout&model=gpt-5``, percent-encoded as in a query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import parse_qs, unquote
from uuid import UUID

import msgspec

from inspector.archive.listing.filter_params import parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.archive.listing.stored_requests import StoredRequest
from inspector.core.completion import Json
from inspector.core.credentials.cleaning import clean_request_body
from inspector.core.credentials.removal import VERSION, Removal
from inspector.core.credentials.repeated import RepeatedCredentials
from inspector.core.prompt_digest import prompt_sha256
from inspector.core.request_params import parse_request_body
from inspector.core.wire.exchange import Request
from inspector.replay.matching import RequestFacts

SHORT_TAG = "tag:"
MAX_CHARACTERS = 2_000
MAX_PARAMETERS = 50
WRITTEN = (
    "a set is tag:<tag>, or parameters of the capture list such as tag=checkout&model=gpt-5,"
    " percent-encoded"
)


class InvalidSet(msgspec.Struct, frozen=True):
    message: str


def set_filters(written: str, now: datetime) -> Filters | InvalidSet:
    """The filters that a segment of the path, as it came, stands for. Ages count from ``now``."""
    values = _parameters(written)
    if not values:
        return InvalidSet(f"There is no such set: {WRITTEN}.")
    params = parse_filter_params(values, now)
    if params.mistakes:
        mistake = params.mistakes[0]
        return InvalidSet(f"There is no such set: {mistake.name} {mistake.sentence}.")
    return params.filters


def _parameters(written: str) -> Mapping[str, Sequence[str]]:
    if len(written) > MAX_CHARACTERS:
        return {}
    plain = unquote(written)
    if plain.startswith(SHORT_TAG):
        return {"tag": [plain.removeprefix(SHORT_TAG)]}
    try:
        return parse_qs(written, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
    except ValueError:
        return {}


class AskedRequest(msgspec.Struct, frozen=True):
    """A request that wants an answer from a set."""

    facts: RequestFacts
    tools: Json
    """What it offers, None if nothing."""


def asked_request(path: str, body: bytes) -> AskedRequest:
    # As stored requests are: what was overwritten there is different here.
    cleaned, _ = clean_request_body(body, Removal(version=VERSION), RepeatedCredentials(()), str)
    request = Request(body=cleaned)
    parsed = parse_request_body(request) or {}
    model = parsed.get("model")
    facts = RequestFacts(
        path=path,
        model=model if isinstance(model, str) and model else None,
        prompt_sha256=prompt_sha256(request),
        is_streamed=parsed.get("stream") is True if parsed else None,
    )
    return AskedRequest(facts, parsed.get("tools"))


def facts_of(stored: StoredRequest) -> RequestFacts:
    return RequestFacts(
        path=stored.url,
        model=stored.model,
        prompt_sha256=stored.prompt_sha256,
        is_streamed=stored.is_streamed,
    )


def with_same_tools(tools: Json, requests: Mapping[UUID, Request | None]) -> list[UUID]:
    """Returns those stored requests that offer the same tools."""
    return [
        capture
        for capture, request in requests.items()
        if (parse_request_body(request) or {}).get("tools") == tools
    ]
