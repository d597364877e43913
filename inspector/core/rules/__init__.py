"""The rules, one file per subject, found by this folder in name order."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from itertools import islice
from pkgutil import iter_modules

import msgspec

from inspector.core.cursor import shorten
from inspector.core.exchange import Outcome
from inspector.core.facts import Facts
from inspector.core.findings import Finding, Severity, Where
from inspector.core.limits import (
    MAX_FINDINGS,
    MAX_FINDINGS_OF_RULE,
    MAX_MESSAGE_CHARACTERS,
    Capped,
)
from inspector.core.rules.beyond import BEYOND, Meaning
from inspector.core.rules.rule import Rule

_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, in the order of files and of functions inside a file."""
    found: list[Rule] = []
    for module in sorted(iter_modules(__path__), key=lambda module: module.name):
        members = vars(import_module(f"{__name__}.{module.name}")).values()
        found += [member.rule for member in members if hasattr(member, "rule")]
    return tuple(found)


def meanings() -> tuple[Rule | Meaning, ...]:
    """Of the rules, and of what is remarked by more than a reading."""
    return (*rules(), *BEYOND)


def codes() -> tuple[str, ...]:
    """Every code that a finding of a stored response can have."""
    return tuple(each.code for each in meanings())


def meaning_of(code: str) -> Rule | Meaning | None:
    """None where no rule has it, or one that was retired had."""
    return next((each for each in meanings() if each.code == code), None)


def findings(facts: Facts) -> tuple[Finding, ...]:
    """What all rules say, worst first, then by place; events get their byte range.

    Of a rule there are no more than ``MAX_FINDINGS_OF_RULE``, of all no more than ``MAX_FINDINGS``.
    What tells how much that leaves out comes first, so that it is in every part of them.
    """
    found: list[Finding] = []
    beyond = 0
    asked = _asked(facts)
    for rule in (rule for rule in asked if not rule.is_last):
        remarks = iter(rule.check(facts))
        made = islice(remarks, MAX_FINDINGS_OF_RULE)
        found += [_finding(rule, facts, message, where) for message, where in made]
        beyond += sum(1 for _ in remarks)
    found = sorted((_placed(finding, facts) for finding in found), key=_order)
    beyond += max(len(found) - MAX_FINDINGS, 0)
    if beyond:
        left_out = {**facts.left_out, Capped.FINDINGS: beyond}
        facts = msgspec.structs.replace(facts, left_out=left_out)
    last = [
        _finding(rule, facts, message, where)
        for rule in asked
        if rule.is_last
        for message, where in rule.check(facts)
    ]
    return tuple(last + found[:MAX_FINDINGS])


def _asked(facts: Facts) -> list[Rule]:
    """Those that can have something to say of this response."""
    is_open, traits = facts.outcome is Outcome.OPEN, facts.traits
    return [
        rule
        for rule in rules()
        if (rule.when is None or rule.when in traits) and not (rule.at_end and is_open)
    ]


def _finding(rule: Rule, facts: Facts, message: str, where: Where) -> Finding:
    """A promise that the vendor is known to break is no news: it is told as information."""
    message = shorten(message, MAX_MESSAGE_CHARACTERS)
    reason = facts.vendor.breaks.get(rule.code) if facts.vendor else None
    if reason is None:
        return Finding(code=rule.code, severity=rule.severity, message=message, where=where)
    known = message
    if reason not in message:
        known = f"{message} Known for {facts.vendor.title}: {reason}."  # type: ignore[union-attr]
    return Finding(code=rule.code, severity=Severity.INFO, message=known, where=where)


def _placed(finding: Finding, facts: Facts) -> Finding:
    where = finding.where
    is_known = where.event is not None and where.event < len(facts.events.byte_start)
    if where.byte_start is not None or not is_known:
        return finding
    start, end = facts.event_bytes(where.event)  # type: ignore[arg-type]
    placed = msgspec.structs.replace(where, byte_start=start, byte_end=end)
    return msgspec.structs.replace(finding, where=placed)


def _order(finding: Finding) -> tuple[int, int]:
    where: Where = finding.where
    return _ORDER[finding.severity], where.byte_start if where.byte_start is not None else -1
