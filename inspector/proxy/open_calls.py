"""The calls that are open now: how many of each key, and how they all end."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from inspector.core.wire.exchange import TransportOutcome
from inspector.proxy.call import ForwardedCall
from inspector.proxy.messages import Grant

STOP_AGAIN_SECONDS = 0.1
"""For requests that become calls while the others are stopped."""


class OpenCalls:
    def __init__(self) -> None:
        self._calls: set[ForwardedCall] = set()
        self._requests = 0
        self._of_keys: Counter[int] = Counter()
        self._nothing_open = asyncio.Event()
        self._nothing_open.set()

    def __len__(self) -> int:
        return len(self._calls)

    def admits(self, grant: Grant) -> bool:
        return self._of_keys[grant.key_id] < grant.max_streams

    @contextmanager
    def request(self) -> Iterator[None]:
        """Yield a request that is being answered, whether it becomes a call or not."""
        self._requests += 1
        self._nothing_open.clear()
        try:
            yield
        finally:
            self._requests -= 1
            if not self._requests:
                self._nothing_open.set()

    @contextmanager
    def count(self, call: ForwardedCall, key_id: int) -> Iterator[None]:
        self._calls.add(call)
        self._of_keys[key_id] += 1
        try:
            yield
        finally:
            self._calls.discard(call)
            self._of_keys[key_id] -= 1
            if not self._of_keys[key_id]:
                del self._of_keys[key_id]

    async def end(self, seconds: float) -> None:
        """Wait for the open requests, and stops the calls that are still open then."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._nothing_open.wait(), seconds)
        while not self._nothing_open.is_set():
            # A request whose key was looked up until now becomes a call only then.
            self.stop()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._nothing_open.wait(), STOP_AGAIN_SECONDS)

    def stop(self) -> None:
        for call in list(self._calls):
            call.stop(TransportOutcome.RECORDER_STOPPED)
