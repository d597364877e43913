"""The proxy's pages about itself: whether it lives, whether it is ready, and its numbers."""

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prometheus_client import CONTENT_TYPE_LATEST

from inspector.proxy.asgi import Send
from inspector.proxy.headers import RawHeader, value_of
from inspector.proxy.own_answers import answer

_TEXT = (b"content-type", b"text/plain; charset=utf-8")
_METRICS = (b"content-type", CONTENT_TYPE_LATEST.encode())
_NO_STORE = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class StatusPages:
    is_ready: Callable[[], bool]
    metrics: Callable[[], bytes]
    metrics_key: str | None
    """Opens ``/metrics``; without one it is not there."""

    async def show(self, path: str, headers: Sequence[RawHeader], send: Send) -> int:
        """Return the status that was sent."""
        if path == "/metrics" and self._is_operator(headers):
            await answer(send, 200, [_METRICS, _NO_STORE], self.metrics())
            return 200
        status, text = self._page(path)
        await answer(send, status, [_TEXT, _NO_STORE], text.encode())
        return status

    def _page(self, path: str) -> tuple[int, str]:
        if path == "/livez":
            return 200, "ok\n"
        if path == "/readyz":
            return (
                (200, "ok\n")
                if self.is_ready()
                else (503, "calls are forwarded, and not recorded\n")
            )
        if path == "/metrics" and self.metrics_key:
            return 401, "the operator's key is needed\n"
        return 404, "There is nothing here. Calls go to /proxy/.\n"

    def _is_operator(self, headers: Sequence[RawHeader]) -> bool:
        if not self.metrics_key:
            return False
        scheme, _, sent = (value_of(b"authorization", headers) or "").partition(" ")
        is_same = hmac.compare_digest(sent.strip().encode(), self.metrics_key.encode())
        return scheme.lower() == "bearer" and is_same
