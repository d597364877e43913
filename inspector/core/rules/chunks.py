"""The chunks of a stream: what each of them must hold, and in which order they come."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.completion import known
from inspector.core.facts import Facts
from inspector.core.findings import Severity
from inspector.core.notes import Oddity
from inspector.core.rules.rule import Remark, in_choice, read_choices, rule, times


def _first(facts: Facts, oddity: Oddity, message: str) -> Iterator[Remark]:
    note = facts.notes.first(oddity) if facts.is_read and facts.streamed else None
    if note is not None:
        yield f"{message}{times(facts.notes.count(oddity))}.", note.where


@rule("chunks.choices-missing", Severity.WARNING, when=Oddity.CHOICES_MISSING)
def choices_missing(facts: Facts) -> Iterator[Remark]:
    """A chunk has no choices, or null in their place, and no error (001: each has a list).
    Clients that walk the choices of every chunk.
    """
    return _first(facts, Oddity.CHOICES_MISSING, "A chunk has no choices")


@rule("chunks.choices-empty", Severity.INFO, when=Oddity.EMPTY_CHOICES)
def choices_empty(facts: Facts) -> Iterator[Remark]:
    """A chunk has an empty list of choices and no usage, as Azure's first one.
    Clients that read choices[0] of every chunk.
    """
    return _first(facts, Oddity.EMPTY_CHOICES, "A chunk has neither a choice nor usage")


@rule("chunks.choices-interleaved", Severity.INFO, when=Oddity.CHOICES_INTERLEAVED)
def choices_interleaved(facts: Facts) -> Iterator[Remark]:
    """The chunks of several choices take turns, as 001 allows.
    Clients that expect one choice after the other.
    """
    return _first(facts, Oddity.CHOICES_INTERLEAVED, "The choices take turns from here on")


@rule("chunks.delta-missing", Severity.WARNING, when=Oddity.DELTA_MISSING)
def delta_missing(facts: Facts) -> Iterator[Remark]:
    """A choice of a chunk has no delta or text; 001 ends with an empty delta.
    Clients that read choices[0].delta of every chunk.
    """
    return _first(facts, Oddity.DELTA_MISSING, "A choice of a chunk has no delta")


@rule("chunks.finish-key-missing", Severity.INFO, when=Oddity.FINISH_KEY_MISSING)
def finish_key_missing(facts: Facts) -> Iterator[Remark]:
    """A choice of a chunk has no finish_reason, which 001 and 003 send as null until the end.
    Clients that read it by its name in every chunk.
    """
    return _first(facts, Oddity.FINISH_KEY_MISSING, "Chunks leave finish_reason out")


@rule("chunks.role-missing", Severity.INFO, at_end=True)
def role_missing(facts: Facts) -> Iterator[Remark]:
    """No chunk of a choice holds a role; in 001 the first one does.
    Clients that append the message to the conversation.
    """
    if facts.object != "chat.completion" or not facts.streamed or not facts.signs.message:
        return
    for choice in read_choices(facts):
        if not known(choice.role) or choice.role == "":
            where = in_choice(facts, choice, "message/role")
            yield f"Choice {choice.index} was sent without a role.", where


@rule("chunks.role-repeated", Severity.INFO, when=Oddity.ROLE_REPEATED)
def role_repeated(facts: Facts) -> Iterator[Remark]:
    """The role stands in more than the first chunk of its choice, where 001 has it alone.
    Clients that join every text of a delta: "assistantassistant".
    """
    return _first(facts, Oddity.ROLE_REPEATED, "The role was sent again")


@rule("message.in-stream", Severity.WARNING)
def message_in_stream(facts: Facts) -> Iterator[Remark]:
    """A chunk holds a whole message where a delta is due (003: message or delta, by form).
    Clients that read the delta only.
    """
    note = facts.notes.first(Oddity.FOREIGN_CHUNK)
    if facts.streamed and note is not None:
        count = facts.notes.count(Oddity.FOREIGN_CHUNK)
        yield f"A chunk holds message where delta is due{times(count)}.", note.where
    note = facts.notes.first(Oddity.MESSAGE_BESIDE_DELTA)
    if note is not None:
        count = facts.notes.count(Oddity.MESSAGE_BESIDE_DELTA)
        yield f"A chunk repeats as message what its delta says{times(count)}.", note.where
