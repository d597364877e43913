"""JSON Pointers to an answer and its choices in the completion, in the format that was sent."""

from inspector.core.analysis import Analysis
from inspector.core.completion import is_index, list_or_empty
from inspector.core.formats import dialects
from inspector.core.formats.places import places_of
from inspector.core.json import Json
from inspector.core.json.pointer import steps_of


def answer_pointer(analysis: Analysis) -> str:
    """Return the pointer to the answer: "" unless a member of the completion wraps it."""
    dialect = dialects().get(analysis.dialect or "")
    return dialect.answer_in(analysis.completion) if dialect else ""


def choice_pointer(analysis: Analysis, position: int) -> str:
    """Return the pointer to the choice at a position; that of the answer if it is the only one."""
    at = places_of(analysis.dialect).choice.replace("*", str(position))
    return answer_pointer(analysis) + at


def sent_choices(analysis: Analysis) -> list[Json]:
    """Return the choices as the completion has them; empty in formats whose answer is the
    only one.
    """
    value = analysis.completion
    listed = places_of(analysis.dialect).choice.rpartition("/")[0]
    for step in steps_of(answer_pointer(analysis) + listed):
        value = value.get(step) if isinstance(value, dict) else None
    return list_or_empty(value)


def position_of(analysis: Analysis, index: int) -> int:
    """Position of a choice in the completion; its number where the index stands there not once."""
    return positions_of(analysis).get(index, [each.index for each in analysis.choices].index(index))


def positions_of(analysis: Analysis) -> dict[int, int]:
    """Position of each choice index in the completion; indexes that occur twice are left out."""
    name = places_of(analysis.dialect).index
    found: dict[int, list[int]] = {}
    for position, each in enumerate(sent_choices(analysis)):
        index = each.get(name) if isinstance(each, dict) else None
        if isinstance(index, int) and is_index(index):
            found.setdefault(index, []).append(position)
    return {index: places[0] for index, places in found.items() if len(places) == 1}


def choice_index_at(analysis: Analysis, position: int) -> int | None:
    """Index of the choice at a position of the completion; None if there is no such choice."""
    sent, name = sent_choices(analysis), places_of(analysis.dialect).index
    at = sent[position] if position < len(sent) else None
    index = at.get(name, position) if isinstance(at, dict) else position
    return index if isinstance(index, int) and analysis.choice(index) else None
