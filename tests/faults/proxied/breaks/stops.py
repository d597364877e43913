"""Faults of the two processes themselves."""

import os
import signal
from threading import Event, Thread

from tests.faults.proxied.caller import Heard, OutgoingCall
from tests.faults.proxied.ledger import STOPPED, Expected
from tests.faults.proxied.rows import proxy_row
from tests.faults.proxied.stack import ProxyStack
from tests.faults.proxied.upstream import BOUND_SECONDS, EVENTS, UpstreamCall, events
from tests.faults.stacks import EMBEDDED, PRODUCTION, plain, wait_until

DRAIN_SECONDS = "2"
CUT_SHORT = ("cut-off", "upstream-error", "missing-finish", "in-progress")


class HeldCall:
    """A call in its middle: the caller has the first half; the rest comes when it is released."""

    def __init__(self, stack: ProxyStack, name: str, expected: Expected) -> None:
        self.stack, self.key = stack, stack.calls.enter(name, expected)
        said = events(self.key)
        self.first, self.rest = said[:2], said[2:]
        self._released = Event()
        self.call: OutgoingCall = stack.begin_call(self.key, self._play)
        assert self.call.read(len(b"".join(self.first)))

    def _play(self, call: UpstreamCall) -> None:
        call.head("200 OK", f"Content-Type: {EVENTS}")
        for event in self.first:
            call.say(event)
        self._released.wait(BOUND_SECONDS)
        for event in self.rest:
            call.say(event)
        call.finish()

    def wait_until_segment_is_stored(self) -> None:
        """As the page of a recording would show it."""
        wait_until(self._has_segment, "what came so far is stored")

    def _has_segment(self) -> bool:
        ids = {plain(each.id) for each in self.stack.captured() if each.key == self.key}
        stored = self.stack.ask("SELECT capture_id FROM archive_evidencesegment")
        return any(plain(each) in ids for (each,) in stored)

    def release(self) -> None:
        self._released.set()

    def end(self) -> Heard:
        self.release()
        heard = self.call.read_all()
        self.stack.calls.heard[self.key] = heard.body
        return heard


def stopped(at_least: int = 1) -> Expected:
    """A beginning is stored, judged by what it holds."""
    return Expected((STOPPED,), CUT_SHORT, is_exact=False, at_least=at_least)


@proxy_row("V-recorder", PRODUCTION, EMBEDDED)
def the_recorder_is_killed_in_the_middle_of_calls(stack: ProxyStack) -> None:
    """No caller notices; what is told of the call until then is kept, or it is counted as missed."""
    expected = Expected((STOPPED,), CUT_SHORT, is_exact=False, may_be_missed=True)
    held = HeldCall(stack, "recorder-killed", expected)
    held.wait_until_segment_is_stored()
    stack.kill_recorder()
    assert stack.make_call("recorder-new", Expected(may_be_missed=True)).is_whole
    assert held.end().is_whole
    stack.wait_until_proxy_is_ready()
    assert stack.make_call("recorder-after").is_whole


@proxy_row("V-hang", PRODUCTION, EMBEDDED)
def the_recorder_hangs(stack: ProxyStack) -> None:
    """Messages to it wait in memory within their bound."""
    process = stack.recorder()
    os.kill(process, signal.SIGSTOP)
    try:
        for _ in range(5):
            assert stack.make_call("recorder-hangs").is_whole
        assert stack.balance()["open"] >= 5
    finally:
        os.kill(process, signal.SIGCONT)


@proxy_row("V-kill", PRODUCTION, EMBEDDED)
def the_proxy_is_killed_in_the_middle_of_a_call(stack: ProxyStack) -> None:
    held = HeldCall(stack, "proxy-killed", stopped(1))
    held.wait_until_segment_is_stored()
    os.kill(stack.leader("proxy"), signal.SIGKILL)
    assert not held.end().is_whole
    stack.wait_until_proxy_is_ready()
    assert stack.make_call("proxy-after").is_whole


def kill_both(stack: ProxyStack) -> None:
    """Neither sees the other go; they are held."""
    recorder = stack.recorder()
    os.kill(stack.leader("proxy"), signal.SIGSTOP)
    os.kill(recorder, signal.SIGKILL)
    stack.hold("proxy")


@proxy_row("V-kill-both", PRODUCTION, EMBEDDED)
def proxy_and_recorder_are_killed_at_once(stack: ProxyStack) -> None:
    held = HeldCall(stack, "both-killed", stopped(1))
    held.wait_until_segment_is_stored()
    kill_both(stack)
    stack.release("proxy")
    assert not held.end().is_whole
    stack.wait_until_proxy_is_ready()
    assert stack.make_call("both-after").is_whole


@proxy_row("V-term", PRODUCTION, EMBEDDED)
def the_proxy_is_asked_to_end_in_the_middle_of_a_call(stack: ProxyStack) -> None:
    """It takes nobody new, and goes when the last call is through."""
    held = HeldCall(stack, "term-waits", Expected())
    ending = Thread(target=stack.ask_to_end, args=["proxy"])
    ending.start()
    wait_until(lambda: not stack.is_listening("proxy"), "nobody new is taken")
    assert held.end().is_whole
    ending.join()
    stack.release("proxy")
    stack.wait_until_proxy_is_ready()


@proxy_row("V-term-late", PRODUCTION, EMBEDDED)
def a_call_is_not_through_when_the_proxy_must_go(stack: ProxyStack) -> None:
    with stack.proxy_with("--drain-seconds", DRAIN_SECONDS):
        held = HeldCall(stack, "term-cut", stopped(1))
        stack.ask_to_end("proxy")
        assert not held.end().is_whole
        stack.release("proxy")
        stack.wait_until_proxy_is_ready()
