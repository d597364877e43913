"""Finds what rules of a team name in stored captures, and adds up what a redaction changed."""

from __future__ import annotations

from collections import Counter
from functools import partial

import msgspec

from inspector.archive import credentials
from inspector.archive.models import Capture
from inspector.archive.redaction import rule_set
from inspector.archive.rewriting import Finder, LeftAsItIs, Outcome, Overwriting, Rewritten
from inspector.archive.storage.evidence import Marks
from inspector.core.redaction.exchange_redaction import masked_text, redact_exchange
from inspector.core.redaction_mark import MaskRule, combined_redaction
from inspector.core.wire.exchange import Exchange

PLACES = ("request_body", "response_body", "elsewhere")


class RedactedCaptures(msgspec.Struct, frozen=True):
    """Counts of what a redaction changed. ``exports``: files that held old bytes, and are gone."""

    captures: int = 0
    passages: int = 0
    exports: int = 0
    left: int = 0
    """Left as they are: still being recorded, or stored by a later release."""

    def and_of(self, other: RedactedCaptures) -> RedactedCaptures:
        names = self.__struct_fields__
        return RedactedCaptures(*(getattr(self, each) + getattr(other, each) for each in names))


def named_by(found: tuple[MaskRule, ...]) -> Finder:
    rules = rule_set(found)

    def find(capture: Capture, exchange: Exchange, marks: Marks) -> Overwriting | None:
        masked = redact_exchange(exchange, capture.metadata, rules, credentials.keyed)
        if masked.redaction is None:
            return None
        both = combined_redaction(marks.redaction, masked.redaction)
        return Overwriting(
            capture=capture,
            exchange=masked.exchange,
            metadata=masked.metadata,
            marks=msgspec.structs.replace(marks, redaction=both),
            places=Counter({name: getattr(masked.redaction, name) for name in PLACES}),
            masked=partial(masked_text, rules=rules),
        )

    return find


def sums_of(outcome: Outcome) -> RedactedCaptures:
    if isinstance(outcome, Rewritten):
        return RedactedCaptures(1, outcome.found.places.total(), outcome.ended.exports)
    return RedactedCaptures(left=int(outcome is LeftAsItIs.NOT_READABLE))
