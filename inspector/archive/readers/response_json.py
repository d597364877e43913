"""The analysis as the API returns it."""

import msgspec

from inspector.archive import readouts
from inspector.archive.readouts import StoredReadout, TruncatedValue
from inspector.core import reading
from inspector.core.analysis import Analysis
from inspector.core.json.encoding import encode_json
from inspector.core.tokens import ledger as core_ledger
from inspector.core.tokens.inclusion import TokenInclusion
from inspector.core.tokens.invariants import LedgerLine
from inspector.core.tokens.ledger import UsageLedgerCost, UsageLedgerEntry
from inspector.core.wire.exchange import Exchange


class Ledger(msgspec.Struct, frozen=True):
    """The usage ledger in full, as JSON."""

    total: UsageLedgerEntry | None
    inclusions: tuple[TokenInclusion, ...]
    lines: tuple[LedgerLine, ...]
    costs: tuple[UsageLedgerCost, ...]


class SubmittedAnalysis(msgspec.Struct, frozen=True):
    """The analysis as returned to the sender of the bytes: full unless very long."""

    analysis: Analysis
    ledger: Ledger
    truncated: tuple[TruncatedValue, ...]


def submitted_analysis(analysis: Analysis) -> SubmittedAnalysis:
    bounded = readouts.bounded(StoredReadout(analysis))
    return SubmittedAnalysis(bounded.analysis, ledger_of(bounded.analysis), bounded.cuts)


def response_json(exchange: Exchange) -> bytes:
    """Return the JSON that the API answers."""
    return encode_json(submitted_analysis(reading.analyze(exchange)))


def ledger_of(analysis: Analysis) -> Ledger:
    found = core_ledger.ledger_of(analysis)
    return Ledger(found.total, found.inclusions, found.lines, found.costs)
