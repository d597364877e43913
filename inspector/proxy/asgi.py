"""Types of what the ASGI standard passes to an application."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Scope = Mapping[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class ResponseCut(Exception):
    """The response's body cannot be completed: its connection must end without an end of it."""


class CallerGone(Exception):
    """The caller has left: nothing more can be sent."""
