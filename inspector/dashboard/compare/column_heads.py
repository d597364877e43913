"""Heads of the columns of a comparison: which side, and its model where models differ."""

from __future__ import annotations

from inspector.dashboard.compare.section import SideColumn
from inspector.dashboard.compare.side import ComparedSide
from inspector.formatting.invisible_characters import exact_segments

MODEL_CHARACTERS = 60


def column_heads(sides: tuple[ComparedSide, ...]) -> tuple[SideColumn, ...]:
    if len({side.model for side in sides}) < 2:
        return tuple(SideColumn(side.ordinal) for side in sides)
    return tuple(SideColumn(side.ordinal, exact_segments(model_words(side))) for side in sides)


def model_words(side: ComparedSide) -> str:
    """The model in one line; empty if none is known."""
    model = side.model or ""
    return model if len(model) <= MODEL_CHARACTERS else f"{model[: MODEL_CHARACTERS - 1]}…"
