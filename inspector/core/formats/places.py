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

    ``choice`` is one choice, "" if the answer is its only one; ``finish`` why it ended. The others
    are inside the part that is a call: ``named`` is the object with its name, ``arguments`` the
    member of that object with the arguments, ``call_id`` the id by which the call is answered.
    ``index`` is the member of a choice that numbers it.
    """

    choice: str = CHAT_CHOICE
    index: str = "index"
    finish: str = "/choices/*/finish_reason"
    named: str = "/function"
    arguments: str = "arguments"
    call_id: str = "/id"
    usage: str = "/usage"
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
    name, arguments = _pattern(table, BlockName), _pattern(table, BlockArguments)
    choice = _pattern(table, Candidate, ChoiceItem)
    numbered = table.get(choice)
    wrapper = dialect.wrapper if dialect else ""
    return AnswerPlaces(
        choice=choice,
        index=numbered.index if isinstance(numbered, Candidate | ChoiceItem) else "",
        finish=_pattern(table, FinishReason, FinishStatus),
        named=_inside(name.rpartition("/")[0]),
        arguments=arguments.rpartition("/")[2],
        call_id=_inside(_pattern(table, CallId)),
        usage=_pattern(table, UsageCounts, MergedUsage),
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


def _pattern(table: Table, *effects: type[Effect]) -> str:
    """Return the first place of the answer with one of these effects, "" if there is none."""
    of_answer = (at for at in table if isinstance(at, str))
    return next((at for at in of_answer if isinstance(table[at], effects)), "")


def _inside(pattern: str) -> str:
    return pattern.rpartition("/*")[2]
