"""The ledger against the archive, id by id. Whatever differs is one sentence of complaint."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tests.faults.ledger import Entry
from tests.faults.stacks import Kept, Stack, plain


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures are of the whole ledger so far."""

    lost: int
    doubled: int
    complaints: tuple[str, ...]


def check(stack: Stack) -> Outcome:
    entries = stack.sender.ledger.entries()
    promised = {plain(entry.id): entry for entry in entries.values() if entry.id}
    kept = stack.kept()
    lost = [*_missing(promised, kept), *_altered(promised, stack)]
    doubled = [*_twice(kept), *_effects(kept)]
    others = [
        *_invented(promised, kept),
        *_unsettled(promised, kept),
        *_unbalanced(promised, stack),
        *stack.sender.wrong,
    ]
    return Outcome(len(lost), len(doubled), (*lost, *doubled, *others))


def _missing(promised: dict[str, Entry], kept: dict[str, Kept]) -> Iterator[str]:
    for capture_id in promised.keys() - kept.keys():
        yield f"{capture_id} was acknowledged and is not there"


def _altered(promised: dict[str, Entry], stack: Stack) -> Iterator[str]:
    hashes = {capture_id: hashlib.sha256(body).hexdigest() for capture_id, body in stack.bodies()}
    for capture_id, entry in promised.items():
        if hashes.get(capture_id) != entry.sha256:
            yield f"{capture_id} holds other bytes than were sent"


def _twice(kept: dict[str, Kept]) -> Iterator[str]:
    for key, count in Counter(each.key for each in kept.values()).items():
        if count > 1:
            yield f"{key} was stored {count} times"


def _effects(kept: dict[str, Kept]) -> Iterator[str]:
    """An inspection is there once, with its one choice, or not at all."""
    for each in kept.values():
        due = 1 if each.state == "inspected" else 0
        if (each.inspections, each.choices) != (due, due):
            yield f"{each} has not one inspection with one choice"


def _invented(promised: dict[str, Entry], kept: dict[str, Kept]) -> Iterator[str]:
    """Every body is sent until it is acknowledged: whatever else is there, nobody sent."""
    for capture_id in kept.keys() - promised.keys():
        yield f"{kept[capture_id]} was never acknowledged"


def _unsettled(promised: dict[str, Entry], kept: dict[str, Kept]) -> Iterator[str]:
    for capture_id in promised.keys() & kept.keys():
        each = kept[capture_id]
        if each.state != ("quarantined" if promised[capture_id].poison else "inspected"):
            yield f"{each} came to a wrong end"
        if (each.state == "quarantined") != bool(each.reason):
            yield f"{each} has a reason, or has none, without cause"


def _unbalanced(promised: dict[str, Entry], stack: Stack) -> Iterator[str]:
    """accepted = recording + received + processing + inspected + quarantined + deleted."""
    counts = stack.counts()
    if sum(counts.values()) != len(promised):
        yield f"the account {counts} is not of {len(promised)} accepted captures"
