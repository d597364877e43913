"""Parameters of the request that an answer is checked against."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from inspector.core.completion import Json
from inspector.core.json import parser
from inspector.core.wire.exchange import Request

AUTO_TIERS = ("auto", "standard_only", "")
"""Values of ``service_tier`` that leave the choice to the provider."""
JSON_FORMATS = ("json_object", "json_schema")


class RequestParams(msgspec.Struct, frozen=True, kw_only=True):
    """``model`` is None if the body names none; Azure, for one, names it in the URL."""

    model: str | None = None
    choices: int = 1
    is_streamed: bool = False
    wants_json: bool = False
    tier: str | None = None
    """The requested service tier, None if the request leaves it to the provider."""


def parse_request_body(request: Request | None) -> Mapping[str, Json] | None:
    """Parse the request's body. None if it is unknown or not a JSON object. Linear in its
    length.
    """
    if request is None or not request.body:
        return None
    body = parser.parse_json(request.body).value
    return body if isinstance(body, dict) else None


def parse_request_params(body: Mapping[str, Json] | None) -> RequestParams | None:
    """Read the parameters. One that is missing or of a wrong type counts as its default."""
    if body is None:
        return None
    model, n, shape = body.get("model"), body.get("n"), body.get("response_format")
    tier = body.get("service_tier")
    return RequestParams(
        model=model if isinstance(model, str) and model else None,
        choices=n if n.__class__ is int and n > 0 else 1,
        is_streamed=body.get("stream") is True,
        wants_json=isinstance(shape, dict) and shape.get("type") in JSON_FORMATS,
        tier=tier if isinstance(tier, str) and tier not in AUTO_TIERS else None,
    )
