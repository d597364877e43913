"""The service tier that a request asks for."""

from __future__ import annotations

from inspector.core import json_text
from inspector.core.exchange import Request

UNDECIDED = frozenset({"auto", "standard_only"})
"""Words that leave the choice to the provider."""


def asked_tier(request: Request | None) -> str | None:
    """None where the request is not known, names none, or leaves it to the provider."""
    if request is None or not request.body:
        return None
    body = json_text.parse(request.body).value
    tier = body.get("service_tier") if isinstance(body, dict) else None
    return tier if isinstance(tier, str) and tier not in UNDECIDED else None
