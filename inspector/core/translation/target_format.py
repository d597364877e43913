"""A format that answers are translated into, as data and one function."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core import formats
from inspector.core.completion import Json
from inspector.core.formats import Dialect
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.translation.finish_meaning import finish_meaning
from inspector.core.translation.loss import LossCode, LossList
from inspector.core.translation.source import SourceAnswer, SourceChoice

Body = dict[str, Json]


class TargetFormat(msgspec.Struct, frozen=True, kw_only=True):
    """A format that answers are translated into.

    ``labels`` are the members that say what the object is. ``write`` makes the members with the
    choices.
    """

    slug: str
    noun: str
    """``a chat completion``"""
    labels: Mapping[str, Json]
    write: Callable[[SourceAnswer, LossList], Body]
    finish: Mapping[FinishMeaning, str]
    """The word for each meaning; for others it has none."""
    usage_member: str = "usage"
    """"" if the counts are members of the answer itself."""
    writes_time_as_text: bool = False
    shares: Mapping[str, frozenset[str]] = {}
    """By family: other top-level members that mean the same there."""

    @property
    def dialect(self) -> Dialect:
        return formats.dialects()[self.slug]


def finish_word(source: SourceChoice, target: TargetFormat, losses: LossList) -> Json | UnsetType:
    """The target's word for why a choice ended. A reason that nobody knows stays as it is spelt."""
    reason, pointer = source.choice.finish_reason, source.finish_pointer
    if reason is None or reason is UNSET:
        return reason
    meaning = finish_meaning(reason, source.choice)
    if meaning is None:
        return _unknown_word(reason, pointer, target, losses)
    word = target.finish.get(meaning)
    if word is None:
        message = f"{losses.noun} has no word for {reason}: {meaning}."
        losses.add(LossCode.FINISH_DROPPED, pointer, message[0].upper() + message[1:])
        return UNSET
    if word != reason:
        is_same = finish_meaning(word, source.choice) is meaning
        lost = "" if is_same else f", which does not say that {meaning}"
        losses.add(LossCode.FINISH_CHANGED, pointer, f"{reason} is given as {word}{lost}.")
    return word


def _unknown_word(
    reason: Json, pointer: str, target: TargetFormat, losses: LossList
) -> Json | UnsetType:
    if reason not in target.dialect.finish_reasons:
        message = f"{reason} has no known meaning: it is given as it is spelt."
        losses.add(LossCode.FINISH_CHANGED, pointer, message)
    return reason
