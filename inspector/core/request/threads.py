"""Which call of a session goes on with which: threads, attempts, one answer at several places."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from uuid import UUID

import msgspec

from inspector.core.request.changes import common_items
from inspector.core.request.outline import DIGEST_BYTES

HOP_US = 600 * 1_000_000
"""One answer is seen at two places within ten minutes: some servers give all answers one id."""
SAME_BYTES_US = 60 * 1_000_000
"""Bytes alone prove less than an id: short answers repeat."""


class Bond(StrEnum):
    """Evidence that a call follows another."""

    STATED = "stated"
    """It names the response that it goes on with."""
    PREFIX = "prefix"
    """Its messages begin with all of the other's."""
    PART = "part"
    """Its messages begin with some of the other's."""
    HEAD = "head"
    """It has the same tools and instructions, and begins after the other had ended."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """Facts known of one call. Times are microseconds since 1970. ``conversation`` are the digests
    of its messages, empty where no request was captured; ``head`` tells tools and instructions.
    """

    id: UUID
    called_us: int
    start_us: int
    end_us: int
    answer_us: int | None = None
    """When the answer began."""
    conversation: bytes = b""
    head: int | None = None
    response: str | None = None
    previous: str = ""
    """The response that it names as the one before."""
    answer: int | None = None
    """A digest of what was answered; None of no answer."""
    body: str = ""
    """A digest of the response's bytes; empty of none."""
    route: str = ""
    """Where it was captured: key, upstream and who measured."""
    has_failed: bool = False
    retry_of: UUID | None = None


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """``lane`` numbers the threads of a session; None is a new one. ``attempt_of`` is the first
    attempt at the same call, ``hop_of`` the first capture of the same answer.
    """

    lane: int | None = None
    parent: UUID | None = None
    bond: Bond | None = None
    attempt_of: UUID | None = None
    hop_of: UUID | None = None


class PlacedCall(msgspec.Struct, frozen=True):
    call: Call
    placement: Placement


def place(call: Call, earlier: Sequence[PlacedCall]) -> Placement:
    """``earlier`` are calls of the same session in the order of their arrival."""
    if seen := _seen_elsewhere(call, earlier):
        first = seen.placement.hop_of or seen.call.id
        return msgspec.structs.replace(seen.placement, hop_of=first)
    if failed := _attempted(call, earlier):
        first = failed.placement.attempt_of or failed.call.id
        return msgspec.structs.replace(failed.placement, attempt_of=first, hop_of=None)
    parent, bond = _parent(call, earlier)
    if parent is None:
        return Placement()
    lane = parent.placement.lane if _continues(call, parent, bond, earlier) else None
    return Placement(lane=lane, parent=parent.call.id, bond=bond)


def lapse_us(before: Call, after: Call) -> int | None:
    """Return the time between two requests; None where the clocks run back."""
    lapse = after.start_us - before.start_us
    return lapse if lapse >= 0 else None


def could_read_cache_of(before: Call, after: Call) -> bool:
    """Return True if its entry was there: it is once the answer that writes it has begun."""
    ready = before.end_us if before.answer_us is None else before.answer_us
    return lapse_us(before, after) is None or ready <= after.start_us


# -- the same answer, the same call ----------------------------------------------------------------


def _seen_elsewhere(call: Call, earlier: Sequence[PlacedCall]) -> PlacedCall | None:
    found = (each for each in reversed(earlier) if _is_same_answer(call, each.call))
    return next(found, None)


def _is_same_answer(one: Call, other: Call) -> bool:
    apart = abs(one.called_us - other.called_us)
    asks_other = one.conversation and other.conversation and one.conversation != other.conversation
    if one.route == other.route or asks_other:
        return False
    if one.response and one.response == other.response:
        return apart <= HOP_US
    is_equal = bool(one.body) and one.body == other.body and one.answer is not None
    return is_equal and apart <= SAME_BYTES_US


def _attempted(call: Call, earlier: Sequence[PlacedCall]) -> PlacedCall | None:
    """Return the failed call that this one repeats, at the same provider or another."""
    for each in reversed(earlier):
        if call.retry_of == each.call.id:
            return each
        is_equal = bool(call.conversation) and call.conversation == each.call.conversation
        if is_equal and each.call.has_failed and not _overlap(each.call, call):
            return each
    return None


def _overlap(before: Call, after: Call) -> bool:
    return before.start_us <= after.start_us < before.end_us


# -- threads ---------------------------------------------------------------------------------------


def _parent(
    call: Call, earlier: Sequence[PlacedCall]
) -> tuple[PlacedCall, Bond] | tuple[None, None]:
    """Return the latest of those that share most."""
    newest = [each for each in reversed(earlier) if each.placement.hop_of is None]
    if call.previous:
        stated = next((each for each in newest if each.call.response == call.previous), None)
        return (stated, Bond.STATED) if stated else (None, None)
    if not call.conversation:
        return None, None
    shared = [(common_items(call.conversation, each.call.conversation), each) for each in newest]
    whole = [(n, each) for n, each in shared if n and _is_whole(n, call, each.call)]
    if whole:
        return max(whole, key=lambda found: found[0])[1], Bond.PREFIX
    part = [(n, each) for n, each in shared if n and not _is_equal(call, each.call)]
    if part:
        return max(part, key=lambda found: found[0])[1], Bond.PART
    alike = (each for each in newest if _has_same_head(call, each.call))
    found = next(alike, None)
    return (found, Bond.HEAD) if found else (None, None)


def _is_equal(call: Call, other: Call) -> bool:
    return call.conversation == other.conversation


def _is_whole(common: int, call: Call, other: Call) -> bool:
    length = len(other.conversation)
    return common * DIGEST_BYTES == length < len(call.conversation)


def _has_same_head(call: Call, other: Call) -> bool:
    """Compare what comes before the last message. A conversation of one message is a beginning, and
    follows nothing by its head alone.
    """
    is_begun = min(len(call.conversation), len(other.conversation)) > DIGEST_BYTES
    is_alike = call.head is not None and call.head == other.head
    return is_begun and is_alike and not _overlap(other, call) and not _is_equal(call, other)


def _continues(
    call: Call, parent: PlacedCall, bond: Bond | None, earlier: Sequence[PlacedCall]
) -> bool:
    """Return False where another call goes on with the parent, or the thread is still busy."""
    others = list(_in_lane(parent.placement.lane, earlier))
    if any(each.placement.parent == parent.call.id for each in others):
        is_edit = bond is not Bond.PREFIX and bond is not Bond.STATED
        return is_edit and not any(_overlap(each.call, call) for each in others)
    return bond in (Bond.PREFIX, Bond.STATED) or not any(
        _overlap(each.call, call) for each in others
    )


def _in_lane(lane: int | None, earlier: Sequence[PlacedCall]) -> Iterator[PlacedCall]:
    for each in earlier:
        is_own = each.placement.hop_of is None and each.placement.attempt_of is None
        if is_own and each.placement.lane == lane:
            yield each
