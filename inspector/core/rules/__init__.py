"""The rules, one file per subject. Files of this folder are found by themselves, in name order."""

from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple

import msgspec

from inspector.core.analysis import Verdict
from inspector.core.findings import Finding, Severity, Where, by_rank, shorten
from inspector.core.formats.fragment import place_in_fragment
from inspector.core.limits import (
    MAX_FINDINGS,
    MAX_FINDINGS_OF_RULE,
    MAX_MESSAGE_CHARACTERS,
    LimitedItem,
)
from inspector.core.rule_context import RuleContext
from inspector.core.rules.added_findings import ADDED_FINDINGS, FindingType
from inspector.core.rules.rule import Rule
from inspector.core.rules.traits import traits_of
from inspector.core.wire.exchange import TransportOutcome


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in the order of files and of functions inside a file."""
    found: list[Rule] = []
    for module in sorted(iter_modules(__path__), key=lambda module: module.name):
        members = vars(import_module(f"{__name__}.{module.name}")).values()
        found += [member.rule for member in members if hasattr(member, "rule")]
    return tuple(found)


def finding_types() -> tuple[Rule | FindingType, ...]:
    """Return the types of all findings: those of rules, and those made with more knowledge than
    the bytes.
    """
    return (*rules(), *ADDED_FINDINGS)


def finding_codes() -> tuple[str, ...]:
    """All codes that a finding of a stored response can have."""
    return tuple(each.code for each in finding_types())


def finding_type_of(code: str) -> Rule | FindingType | None:
    """Return the type with this code; None if the code is unknown or was retired."""
    return next((each for each in finding_types() if each.code == code), None)


def impact_of(finding: Finding) -> str:
    """Return what breaks because of a finding where it stands; "" if its code is unknown."""
    kind = finding_type_of(finding.code)
    if isinstance(kind, Rule) and kind.impact_in_stream and finding.where.event is not None:
        return kind.impact_in_stream
    return kind.impact if kind else ""


def run_rules(context: RuleContext) -> tuple[Finding, ...]:
    """Run all rules. Return their findings, by their rank; those about an event get its byte range.

    At most ``MAX_FINDINGS_OF_RULE`` findings per rule and ``MAX_FINDINGS`` in all are returned.
    Findings of rules with ``is_last`` come first, because they tell how much was left out.
    """
    found: list[Finding] = []
    beyond = 0
    asked = _applicable_rules(context)
    for rule in asked.first:
        for number, (message, where) in enumerate(rule.check(context)):
            if number < MAX_FINDINGS_OF_RULE:
                found.append(_finding(rule, context, message, where))
            else:
                beyond += 1
    found.sort(key=by_rank)
    beyond += max(len(found) - MAX_FINDINGS, 0)
    if beyond:
        left_out = {**context.left_out, LimitedItem.FINDINGS: beyond}
        context = msgspec.structs.replace(context, left_out=left_out)
    last = [
        _finding(rule, context, message, where)
        for rule in asked.last
        for message, where in rule.check(context)
    ]
    return tuple(last + found[:MAX_FINDINGS])


class ApplicableRules(NamedTuple):
    """Rules that can find something, and those of them that report on the findings of others."""

    first: tuple[Rule, ...]
    last: tuple[Rule, ...] = ()


def _applicable_rules(context: RuleContext) -> ApplicableRules:
    """Return the rules that can find something in this response."""
    is_open = context.outcome is TransportOutcome.OPEN
    found = rules_with(context.format_names, traits_of(context), is_open)
    if context.verdict is Verdict.OTHER:
        # Nothing is expected of it but that the proxy carried it.
        carried = (rule for rule in found.first if rule.code.startswith("transport."))
        return ApplicableRules(tuple(carried))
    return found


# Few combinations of traits occur, and most answers share theirs with others.
@lru_cache(maxsize=1024)
def rules_with(formats: frozenset[str], traits: frozenset[str], is_open: bool) -> ApplicableRules:
    """Return the rules that can find something in a response of these formats with these traits."""
    found = [
        rule
        for rule in rules_about(formats)
        if not (rule.when and rule.when.isdisjoint(traits)) and not (rule.at_end and is_open)
    ]
    first = tuple(rule for rule in found if not rule.is_last)
    return ApplicableRules(first, tuple(rule for rule in found if rule.is_last))


@cache
def rules_about(formats: frozenset[str]) -> tuple[Rule, ...]:
    """Return the rules that speak of one of these formats, or of all."""
    return tuple(
        rule for rule in rules() if rule.formats is None or not rule.formats.isdisjoint(formats)
    )


def _finding(rule: Rule, context: RuleContext, message: str, where: Where) -> Finding:
    """Make a finding. A promise that the vendor is known to break is reported as
    information only.
    """
    message = shorten(message, MAX_MESSAGE_CHARACTERS)
    where = _with_byte_range(place_in_fragment(context.fragment, where), context)
    reason = context.vendor.breaks.get(rule.code) if context.vendor else None
    if reason is None:
        return Finding(code=rule.code, severity=rule.severity, message=message, where=where)
    known = message
    if reason not in message:
        known = f"{message} Known for {context.vendor.title}: {reason}."  # type: ignore[union-attr]
    return Finding(code=rule.code, severity=Severity.INFO, message=known, where=where)


def _with_byte_range(where: Where, context: RuleContext) -> Where:
    event = where.event
    if event is None or where.byte_start is not None or event >= len(context.events.byte_start):
        return where
    start, end = context.event_bytes(event)
    return msgspec.structs.replace(where, byte_start=start, byte_end=end)
