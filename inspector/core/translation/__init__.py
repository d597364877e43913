"""Answers in the form of other formats, with a list of what that loses.

A translation is made for reading and comparing; it is never what a provider sent. Nothing is made
up for it: no id, no time, no count. One file for each format, with one frozen ``TARGET``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from inspector.core import formats
from inspector.core.analysis import Analysis
from inspector.core.completion import Json
from inspector.core.discovery import constants_in
from inspector.core.formats.places import places_of
from inspector.core.translation.dropped_fields import report_dropped_fields
from inspector.core.translation.identity_writer import identity_members, names_given
from inspector.core.translation.loss import Loss, LossCode, LossKind, LossList
from inspector.core.translation.source import SourceAnswer, source_answer
from inspector.core.translation.target_format import TargetFormat
from inspector.core.translation.usage_writer import UsageWriter

__all__ = [
    "Loss",
    "LossCode",
    "LossKind",
    "TargetFormat",
    "Translation",
    "targets",
    "translate",
]


class Translation(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as ``format`` has it. ``losses`` say what ``value`` does not give as it was sent;
    an answer that is of this format already is given as it is.
    """

    format: str
    value: Json
    losses: tuple[Loss, ...]


@cache
def targets() -> Mapping[str, TargetFormat]:
    """The formats that answers are translated into, by slug."""
    return {target.slug: target for target in constants_in(__name__, "TARGET")}


def translate(analysis: Analysis, target: TargetFormat) -> Translation | None:
    """Translate an answer that was read in full; None if no choices were read."""
    answer = source_answer(analysis)
    if answer is None:
        return None
    if target.slug in {dialect.slug for dialect in formats.base_chain(answer.dialect)}:
        return Translation(format=target.slug, value=answer.completion, losses=())
    losses = LossList(target.noun)
    value = _value(answer, target, losses)
    report_dropped_fields(answer.completion, answer.family, _given(answer, target), losses)
    return Translation(format=target.slug, value=value, losses=losses.in_order())


def _value(answer: SourceAnswer, target: TargetFormat, losses: LossList) -> dict[str, Json]:
    identity = identity_members(answer, target, losses)
    body = target.write(answer, losses)
    usage = UsageWriter(answer, target.dialect.usage, losses).written()
    counted = {target.usage_member: usage} if target.usage_member and usage else usage
    return {**identity, **target.labels, **body, **counted}


def _given(answer: SourceAnswer, target: TargetFormat) -> frozenset[str]:
    """Places of which nothing more is to be reported."""
    parts = [part for each in answer.choices for part in each.parts]
    cited = {part.citations_pointer for part in parts}
    call_id = places_of(answer.dialect.slug).call_id
    called = {f"{part.pointer}{call_id}" for part in parts if part.call}
    found = {answer.usage_pointer, *cited, *called, *names_given(answer, target)}
    return frozenset(found - {""})
