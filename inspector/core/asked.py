"""What the request asks for, as far as an answer can be held against it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from inspector.core import json_text
from inspector.core.completion import Json
from inspector.core.exchange import Request

UNDECIDED_TIERS = ("auto", "standard_only", "")
"""Words that leave the choice to the provider."""
JSON_FORMATS = ("json_object", "json_schema")


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """``model`` is None where the request names none, as where its address does (Azure)."""

    model: str | None = None
    choices: int = 1
    is_streamed: bool = False
    wants_json: bool = False
    tier: str | None = None
    """The service tier, None where the request leaves it to the provider."""


def request_object(request: Request | None) -> Mapping[str, Json] | None:
    """The request's body, None where it is not known or no JSON object. Linear in it."""
    if request is None or not request.body:
        return None
    body = json_text.parse(request.body).value
    return body if isinstance(body, dict) else None


def read_asked(body: Mapping[str, Json] | None) -> Asked | None:
    """A parameter that was not sent, or sent as what it cannot be, counts as its default."""
    if body is None:
        return None
    model, n, shape = body.get("model"), body.get("n"), body.get("response_format")
    tier = body.get("service_tier")
    return Asked(
        model=model if isinstance(model, str) and model else None,
        choices=n if n.__class__ is int and n > 0 else 1,
        is_streamed=body.get("stream") is True,
        wants_json=isinstance(shape, dict) and shape.get("type") in JSON_FORMATS,
        tier=tier if isinstance(tier, str) and tier not in UNDECIDED_TIERS else None,
    )
