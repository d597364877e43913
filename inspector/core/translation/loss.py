"""Losses of a translation: what it drops, changes or cannot give, each with its place."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class LossKind(StrEnum):
    """What became of something that a translation cannot give as it is."""

    DROPPED = "dropped"
    CHANGED = "changed"
    LACKING = "lacking"
    """The format has it, the answer does not: nothing is made up in its place."""


class LossCode(StrEnum):
    """What was lost. The last word of each is its ``LossKind``."""

    FIELD_DROPPED = "field-dropped"
    SIGNATURE_DROPPED = "signature-dropped"
    """A signature or encrypted reasoning, which only its own provider can read."""
    ID_DROPPED = "id-dropped"
    MODEL_DROPPED = "model-dropped"
    TIME_DROPPED = "time-dropped"
    CHOICE_DROPPED = "choice-dropped"
    FINISH_DROPPED = "finish-dropped"
    REASONING_DROPPED = "reasoning-dropped"
    """Reasoning without a text."""
    CALL_DROPPED = "call-dropped"
    """A call of the client's that names no tool."""
    HOSTED_DROPPED = "hosted-dropped"
    """A call that the provider ran itself, or its result."""
    PART_DROPPED = "part-dropped"
    CITATIONS_DROPPED = "citations-dropped"
    COUNT_DROPPED = "count-dropped"
    TIME_CHANGED = "time-changed"
    ROLE_CHANGED = "role-changed"
    FINISH_CHANGED = "finish-changed"
    ORDER_CHANGED = "order-changed"
    TEXTS_CHANGED = "texts-changed"
    """Several texts were joined to one."""
    REASONING_CHANGED = "reasoning-changed"
    REFUSAL_CHANGED = "refusal-changed"
    CALL_CHANGED = "call-changed"
    """A call is given as one of another kind."""
    ARGUMENTS_CHANGED = "arguments-changed"
    CITATIONS_CHANGED = "citations-changed"
    COUNT_CHANGED = "count-changed"
    ID_LACKING = "id-lacking"
    NAME_LACKING = "name-lacking"
    MODEL_LACKING = "model-lacking"
    TIME_LACKING = "time-lacking"
    CALL_ID_LACKING = "call-id-lacking"
    COUNT_LACKING = "count-lacking"

    @property
    def kind(self) -> LossKind:
        return LossKind(self.rpartition("-")[2])


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a translation dropped, changed or lacks. ``pointer`` is its place in the
    completion that was translated; its last step may name a missing field.
    """

    code: LossCode
    pointer: str
    message: str


class LossList:
    """Collects the losses of one translation into ``noun``: ``a chat completion``."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self._losses: list[Loss] = []

    def add(self, code: LossCode, pointer: str, message: str) -> None:
        self._losses.append(Loss(code=code, pointer=pointer, message=message))

    def dropped(self) -> frozenset[str]:
        """Places of which nothing is given."""
        return frozenset(
            loss.pointer for loss in self._losses if loss.code.kind is LossKind.DROPPED
        )

    def in_order(self) -> tuple[Loss, ...]:
        """Sorts losses: dropped ones first, then changed ones, then lacking ones."""
        kinds = list(LossKind)
        return tuple(sorted(self._losses, key=lambda loss: kinds.index(loss.code.kind)))
