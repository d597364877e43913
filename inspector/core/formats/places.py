"""Where a format's answer has what findings and pages speak of, read from its table."""

from functools import cache

import msgspec

from inspector.core import formats
from inspector.core.formats.grammar import (
    At,
    BlockArguments,
    BlockName,
    CallId,
    Candidate,
    ChoiceItem,
    Complete,
    Effect,
    FinishReason,
    FinishStatus,
    MergedUsage,
    Put,
    Table,
    UsageCounts,
)

CHAT_CHOICE = "/choices/*"


class AnswerPlaces(msgspec.Struct, frozen=True):
    """JSON Pointers in the whole answer, "*" for any position.

    ``choice`` is one choice, the answer itself ("") if it has no list of them; ``finish`` why it
    ended; ``index`` the member of a choice that numbers it. ``named``, ``arguments`` and
    ``call_id`` are inside the part that is a call: the object with its name, the member of that
    object with the arguments, the id by which the call is answered.
    """

    choice: str = CHAT_CHOICE
    index: str | None = "index"
    finish: str = "/choices/*/finish_reason"
    named: str = "/function"
    arguments: str = "arguments"
    call_id: str = "/id"
    usage: str | None = "/usage"
    """None if the counts of usage stand among the members of the answer."""
    sent_at: tuple[str, ...] = ("",)
    """Where the answer, or a part of it, stands in a body or in the object of an event."""


@cache
def places_of(slug: str | None) -> AnswerPlaces:
    """Return the places of a format; those of chat completions if it is unknown or one of them."""
    dialect = formats.dialects().get(slug or "")
    family = formats.family_of(dialect) if dialect else formats.DEFAULT_FAMILY
    if family == formats.DEFAULT_FAMILY:
        return AnswerPlaces()
    table = formats.table_of(family)
    name, arguments = _place(table, BlockName), _place(table, BlockArguments)
    choice = _first_place(table, Candidate, ChoiceItem)
    numbered = table[choice] if choice is not None else None
    wrapper = dialect.wrapper if dialect else ""
    return AnswerPlaces(
        choice=choice or "",
        index=numbered.index if isinstance(numbered, Candidate | ChoiceItem) else None,
        finish=_place(table, FinishReason, FinishStatus),
        named=_inside(name.rpartition("/")[0]),
        arguments=arguments.rpartition("/")[2],
        call_id=_inside(_place(table, CallId)),
        usage=_first_place(table, UsageCounts, MergedUsage),
        sent_at=("", *filter(None, [wrapper]), *_parts(table)),
    )


@cache
def effect_at(slug: str | None, pointer: str) -> Effect | None:
    """Return the effect at a place of the whole answer by the format's table; None if unnamed."""
    dialect = formats.dialects().get(slug or "")
    table = formats.table_of(formats.family_of(dialect) if dialect else formats.DEFAULT_FAMILY)
    return table.get("/".join("*" if step.isdigit() else step for step in pointer.split("/")))


def _parts(table: Table) -> list[str]:
    sent = ((at, it) for at, it in table.items() if isinstance(it, Put | Complete))
    return sorted({at.path for at, it in sent if isinstance(at, At) and not it.at})


def _place(table: Table, *effects: type[Effect]) -> str:
    """Return the first place of the answer with one of these effects, which every format has."""
    place = _first_place(table, *effects)
    assert place is not None, effects
    return place


def _first_place(table: Table, *effects: type[Effect]) -> str | None:
    of_answer = (at for at in table if isinstance(at, str))
    return next((at for at in of_answer if isinstance(table[at], effects)), None)


def _inside(pattern: str) -> str:
    return pattern.rpartition("/*")[2]
