"""The callers' ledger against the archive, call by call. What differs is a sentence of complaint."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator

from tests.faults.checking import Outcome
from tests.faults.proxied.ledger import ENDED, Expected
from tests.faults.proxied.stack import BALANCED, Captured, ProxyStack


def check(stack: ProxyStack) -> Outcome:
    captured = defaultdict(list)
    for each in stack.captured():
        captured[each.key].append(each)
    doubled = [
        f"{key} was captured {len(each)} times" for key, each in captured.items() if len(each) > 1
    ]
    new = stack.calls.expected.keys() - stack.calls.checked
    stored = stack.stored([captured[key][0] for key in new if key in captured])
    lost, others = [], list(stack.calls.wrong)
    for key in new:
        expected = stack.calls.expected[key]
        if key in captured:
            capture = captured[key][0]
            lost += _altered(capture, stored[capture.id].body, _sent(stack, key), expected)
            others += _misjudged(capture, stored[capture.id].fault, expected)
        elif not expected.may_be_missed:
            lost.append(f"{key} was called and is not there")
        others += _misheard(stack, key, expected)
    invented = captured.keys() - stack.calls.expected
    others += [f"{key} was captured and never called" for key in invented]
    others += _unbalanced(stack)
    stack.calls.checked |= new
    return Outcome(len(lost), len(doubled), (*lost, *doubled, *others))


def _sent(stack: ProxyStack, key: str) -> bytes:
    for upstream in (stack.upstream, *stack.more_upstreams):
        if calls := upstream.calls.get(key):
            return bytes(calls[-1].sent)
    return b""


def _altered(capture: Captured, stored: bytes, sent: bytes, expected: Expected) -> Iterator[str]:
    if (hashlib.sha256(stored).hexdigest(), len(stored)) != (capture.sha256, capture.byte_length):
        yield f"{capture} holds other bytes than its row says"
    if expected.is_exact and stored != sent:
        yield f"{capture.key} holds {len(stored)} bytes, sent were {len(sent)}"
    if not sent.startswith(stored):
        yield f"{capture.key} holds bytes that were not sent"
    if len(stored) < expected.at_least:
        yield f"{capture.key} holds only {len(stored)} of {expected.at_least} bytes"


def _misjudged(capture: Captured, fault: str | None, expected: Expected) -> Iterator[str]:
    if capture.state != "inspected" or capture.verdict not in expected.verdicts:
        yield f"{capture} is none of {expected.verdicts}"
    if capture.outcome not in expected.outcomes:
        yield f"{capture} ended as none of {expected.outcomes}"
    if capture.status != expected.status and not expected.any_status:
        yield f"{capture} has not the status {expected.status}"
    if fault != expected.fault:
        yield f"{capture} has the fault {fault}, not {expected.fault}"


def _misheard(stack: ProxyStack, key: str, expected: Expected) -> Iterator[str]:
    """Whatever became of the recording, the caller has what the upstream sent."""
    heard, sent = stack.calls.heard.get(key), _sent(stack, key)
    if heard is None or expected.status is None or (expected.any_status and not sent):
        return
    if not sent.startswith(heard) or (expected.outcomes == (ENDED,) and heard != sent):
        yield f"the caller of {key} has {len(heard)} bytes, sent were {len(sent)}"


def _unbalanced(stack: ProxyStack) -> Iterator[str]:
    counts = stack.balance()
    if counts["proxied"] != sum(counts[state] for state in BALANCED):
        yield f"{counts} does not balance"
    if counts["open"] or counts["spooled"]:
        yield f"{counts} is not settled"
    if files := stack.spool_files():
        yield f"the spool holds {files}"
