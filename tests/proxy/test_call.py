"""Calls whose callers take what is sent to them when the test says so."""

import asyncio

import aiohttp
from yarl import URL

from inspector.core.wire.exchange import TransportOutcome
from inspector.proxy.call import CallOutcome, ForwardedCall, UpstreamRequest
from inspector.proxy.limits import ProxyLimits
from inspector.proxy.open_calls import OpenCalls
from inspector.proxy.upstream_connector import Upstreams
from tests.proxy.conftest import OK
from tests.proxy.scripted_upstream import WAIT_SECONDS, Gate, ScriptedUpstream


class PlayedCaller:
    """Does not take the piece of a body that it ``holds``, and goes when the test says so."""

    def __init__(self, holds: bytes) -> None:
        self._holds = holds
        self.gone = asyncio.Event()
        self.offered = asyncio.Event()

    async def receive(self) -> dict[str, object]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, object]) -> None:
        if message.get("body") == self._holds:
            self.offered.set()
            await asyncio.Event().wait()

    def call(self, session: aiohttp.ClientSession, url: str) -> ForwardedCall:
        request = UpstreamRequest(session, "GET", URL(url), (), has_body=False)
        return ForwardedCall(request, self.receive, self.send, None, ProxyLimits())


def test_a_slow_caller_that_leaves_does_not_cut_the_next_call_over_its_connection():
    async def carry(upstream: ScriptedUpstream) -> tuple[CallOutcome, CallOutcome]:
        upstreams, gate = Upstreams(ProxyLimits(), ()), Gate()
        session = upstreams.session(is_local=True)
        slow, other = PlayedCaller(holds=b"{}"), PlayedCaller(holds=b"nothing that is sent")
        left = asyncio.create_task(slow.call(session, upstream.url).run())
        await slow.offered.wait()
        upstream.answer(gate, OK)
        carried = asyncio.create_task(other.call(session, upstream.url).run())
        await asyncio.to_thread(gate.reached)
        slow.gone.set()
        first = await left
        gate.open()
        outcomes = first, await carried
        await upstreams.close()
        return outcomes

    with ScriptedUpstream(OK) as upstream:
        left, carried = asyncio.run(asyncio.wait_for(carry(upstream), WAIT_SECONDS))

    assert left.outcome is TransportOutcome.CLIENT_CANCELLED
    assert carried.outcome is TransportOutcome.ENDED
    assert upstream.connections == 1


def test_a_caller_that_leaves_in_the_middle_cuts_its_own_connection():
    async def carry(upstream: ScriptedUpstream) -> CallOutcome:
        upstreams = Upstreams(ProxyLimits(), ())
        slow = PlayedCaller(holds=b"{")
        left = asyncio.create_task(slow.call(upstreams.session(is_local=True), upstream.url).run())
        await slow.offered.wait()
        slow.gone.set()
        outcome = await left
        assert await asyncio.to_thread(upstream.ended)
        await upstreams.close()
        return outcome

    with ScriptedUpstream(OK.removesuffix(b"}"), Gate()) as upstream:
        left = asyncio.run(asyncio.wait_for(carry(upstream), WAIT_SECONDS))

    assert left.outcome is TransportOutcome.CLIENT_CANCELLED


def test_the_drain_waits_for_no_caller_that_does_not_take_the_end_of_its_response():
    async def carry(upstream: ScriptedUpstream) -> CallOutcome:
        upstreams, calls = Upstreams(ProxyLimits(), ()), OpenCalls()
        slow = PlayedCaller(holds=b"")
        call = slow.call(upstreams.session(is_local=True), upstream.url)

        async def counted() -> CallOutcome:
            with calls.request(), calls.count(call, 1):
                return await call.run()

        running = asyncio.create_task(counted())
        await slow.offered.wait()
        await asyncio.wait_for(calls.end(0), WAIT_SECONDS)
        await upstreams.close()
        return await running

    with ScriptedUpstream(OK) as upstream:
        assert (
            asyncio.run(asyncio.wait_for(carry(upstream), WAIT_SECONDS)).outcome
            is TransportOutcome.ENDED
        )
