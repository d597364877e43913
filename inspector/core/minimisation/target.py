"""What a smaller exchange must keep: one finding, its format, and otherwise good health."""

from __future__ import annotations

import re

import msgspec

from inspector.core.analysis import Analysis
from inspector.core.findings import Finding, Severity
from inspector.core.fragment import Fragment
from inspector.core.rules import rules

FAULT_AREAS = frozenset({"json", "framing"})
FAULTS = frozenset({
    "ending.cut-off", "ending.elided", "ending.end-mark-padded", "ending.unterminated-event",
})  # fmt: skip
"""Codes that tell of broken bytes, beside all of ``FAULT_AREAS``."""
NOT_OF_BODIES = frozenset({
    "ending.capped", "ending.client-cancelled", "ending.upstream-error", "reading.capped",
    "framing.coded", "framing.coding-broken", "framing.coding-undeclared",
})  # fmt: skip
"""Findings about what happened to the connection, about the size itself or about the coding, which
is undone: no smaller body says them.
"""

_POSITION = re.compile(r"/\d+(?=/|\Z)")


class MinimisationTarget(msgspec.Struct, frozen=True):
    """The finding that is to stay. ``place`` is its pointer without positions in lists, which
    change where items are removed. ``faults``: codes of errors and broken bytes that may be there,
    because the source has them.
    """

    code: str
    severity: Severity
    place: str | None
    dialect: str | None
    streamed: bool
    fragment: Fragment | None
    faults: tuple[str, ...]
    is_broken: bool
    """True if the source has broken bytes, so that its parts may be no JSON and no events."""

    def is_met(self, analysis: Analysis) -> bool:
        """True if the finding is there, in the same format, and nothing else broke."""
        return (
            (analysis.dialect, analysis.streamed) == (self.dialect, self.streamed)
            and analysis.fragment == self.fragment
            and any(map(self._is_it, analysis.findings))
            and faults_of(analysis) <= {*self.faults, self.code}
        )

    def _is_it(self, finding: Finding) -> bool:
        found = finding.code, finding.severity, place_of(finding)
        return found == (self.code, self.severity, self.place)


def can_minimise(code: str) -> bool:
    """True for findings of which a body can be an example."""
    is_transport = code.startswith("transport.")
    return not is_transport and code not in NOT_OF_BODIES and code in {r.code for r in rules()}


def target_of(
    analysis: Analysis, code: str, pointer: str | None = None
) -> MinimisationTarget | None:
    """The target for the first finding with this code and, if one is given, this pointer. None if
    there is no such finding, or no body can be an example of it.
    """
    found = (
        finding
        for finding in analysis.findings
        if finding.code == code and pointer in (None, finding.where.pointer)
    )
    finding = next(found, None)
    if finding is None or not can_minimise(code):
        return None
    return MinimisationTarget(
        code,
        finding.severity,
        place_of(finding),
        analysis.dialect,
        analysis.streamed,
        analysis.fragment,
        tuple(sorted(faults_of(analysis))),
        analysis.dialect is None or any(map(_is_breach, analysis.findings)),
    )


def place_of(finding: Finding) -> str | None:
    """The pointer of a finding with ``*`` for each position in a list."""
    pointer = finding.where.pointer
    return None if pointer is None else _POSITION.sub("/*", pointer)


def faults_of(analysis: Analysis) -> set[str]:
    """Codes of all errors, and of the findings that tell of broken bytes."""
    return {
        finding.code
        for finding in analysis.findings
        if finding.severity is Severity.ERROR or _is_of_bytes(finding.code)
    }


def _is_breach(finding: Finding) -> bool:
    is_remark = finding.severity is Severity.INFO and finding.code not in FAULTS
    return _is_of_bytes(finding.code) and not is_remark


def _is_of_bytes(code: str) -> bool:
    return code.partition(".")[0] in FAULT_AREAS or code in FAULTS
