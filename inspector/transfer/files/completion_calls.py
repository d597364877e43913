"""Which calls of a recording of any traffic were answered by a model."""

import re
from urllib.parse import urlsplit

from inspector.core.credentials import urls
from inspector.core.wire.completion_paths import is_completion
from inspector.core.wire.exchange import Exchange
from inspector.transfer.entries import FoundExchange, PassedOver

SIGN_BYTES = 4096
"""Bytes at the beginning of a body, in which every format has one of its signs."""
# As in '"choices":' and '"object": "chat.completion"'.
_SIGN = re.compile(
    rb"""
    "(?: choices | candidates | finish_reason | finishReason | stop_reason | done_reason )"\s*:
  | "object"\s*:\s*"(?: chat\.completion | text_completion | response" )
  | "type"\s*:\s*"(?: message_start | response\.created )"
    """,
    re.VERBOSE,
)


def completion_or_passed(found: FoundExchange) -> FoundExchange | PassedOver:
    """Take a call by its address, or by signs of an answer: gateways have their own."""
    exchange, request = found.exchange, found.exchange.request
    method = request.method if request and request.method else "POST"
    path = _path(request.url) if request and request.url else ""
    # A compressed body shows no sign; its address must do.
    if is_completion(method, path) or _SIGN.search(_beginning(exchange)):
        return found
    return PassedOver(f"{method[:20]} {path[:200] or '/'} asks for no completion")


def _path(url: str) -> str:
    try:
        return urlsplit(urls.clean_url(url)).path
    except ValueError:
        return ""


def _beginning(exchange: Exchange) -> bytes:
    return exchange.reads[0].data[:SIGN_BYTES] if exchange.reads else b""
