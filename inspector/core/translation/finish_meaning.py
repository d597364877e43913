"""Translates the finish reason of a choice for formats that have fewer words, or others."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.core.completion import Choice, Json
from inspector.core.finish_reasons import meaning_of
from inspector.core.formats.finish_meaning import FinishMeaning

BROADER: Mapping[FinishMeaning, FinishMeaning | None] = {
    FinishMeaning.FUNCTION_CALLED: FinishMeaning.CALLED,
    FinishMeaning.CONTEXT: FinishMeaning.LENGTH,
    FinishMeaning.ABORTED: FinishMeaning.LENGTH,
    FinishMeaning.ERROR_BESIDE: FinishMeaning.FAILED,
    FinishMeaning.OTHER: None,
}
"""Meanings for which no other format has a word of its own."""


def finish_meaning(reason: Json, choice: Choice) -> FinishMeaning | None:
    """Returns the meaning of a finish reason; None if it is not known. Some formats have one word
    for an answer that is complete and for one that ends in calls.
    """
    told = meaning_of(reason)
    meaning = None if told is None else BROADER.get(told, told)
    if meaning is not FinishMeaning.COMPLETE:
        return meaning
    is_called = bool(choice.tool_calls) or choice.function_call is not None
    return FinishMeaning.CALLED if is_called else meaning
