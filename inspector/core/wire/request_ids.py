"""The ids that a response's headers give its request."""

from collections.abc import Iterable

NAME_ENDS = ("request-id", "requestid", "correlation-id", "cf-ray")
"""How the names of such headers end: ``x-request-id``, ``x-amzn-requestid``, ``cf-ray`` …"""
MAX_REQUEST_IDS = 8
"""Each is a row to find the capture by."""
MAX_CHARACTERS = 200
"""A longer value is no id."""


def request_ids(headers: Iterable[tuple[str, str]] | None) -> tuple[str, ...]:
    """Return the values of these headers as sent, each once, in their order."""
    named = (value.strip() for name, value in headers or () if is_request_id(name))
    return tuple(dict.fromkeys(v for v in named if 0 < len(v) <= MAX_CHARACTERS))[:MAX_REQUEST_IDS]


def is_request_id(name: str) -> bool:
    return name.strip().lower().endswith(NAME_ENDS)
