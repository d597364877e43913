"""The proxy's pages about itself: whether it lives, whether it is ready, and its numbers."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inspector.proxy.asgi import Send
from inspector.proxy.headers import RawHeader, value_of
from inspector.proxy.own_answers import answer

_TEXT = (b"content-type", b"text/plain; charset=utf-8")
_NO_STORE = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class StatusPages:
    is_ready: Callable[[], bool]
    metrics: Callable[[], str]
    metrics_key: str | None
    """Opens ``/metrics``; without one it is not there."""

    async def show(self, path: str, headers: Sequence[RawHeader], send: Send) -> None:
        status, text = self._page(path, headers)
        await answer(send, status, [_TEXT, _NO_STORE], text.encode())

    def _page(self, path: str, headers: Sequence[RawHeader]) -> tuple[int, str]:
        if path == "/livez":
            return 200, "ok\n"
        if path == "/readyz":
            return (
                (200, "ok\n")
                if self.is_ready()
                else (503, "calls are forwarded, and not recorded\n")
            )
        if path == "/metrics" and self.metrics_key:
            is_operator = self._opens(headers, self.metrics_key)
            return (200, self.metrics()) if is_operator else (401, "the operator's key is needed\n")
        return 404, "There is nothing here. Calls go to /proxy/.\n"

    def _opens(self, headers: Sequence[RawHeader], key: str) -> bool:
        scheme, _, sent = (value_of(b"authorization", headers) or "").partition(" ")
        is_same = hmac.compare_digest(sent.strip().encode(), key.encode())
        return scheme.lower() == "bearer" and is_same
