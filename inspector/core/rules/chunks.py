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
    """A chunk has no choices list and no error (OpenAI's chat-completions reference requires one).
    Clients that loop over the choices of every chunk fail.
    """
    return _first(facts, Oddity.CHOICES_MISSING, "A chunk has no choices")


@rule("chunks.choices-empty", Severity.INFO, when=Oddity.EMPTY_CHOICES)
def choices_empty(facts: Facts) -> Iterator[Remark]:
    """A chunk has an empty list of choices and no usage, such as Azure's first one.
    Clients that read choices[0] of every chunk fail.
    """
    return _first(facts, Oddity.EMPTY_CHOICES, "A chunk has neither choices nor usage")


@rule("chunks.choices-interleaved", Severity.INFO, when=Oddity.CHOICES_INTERLEAVED)
def choices_interleaved(facts: Facts) -> Iterator[Remark]:
    """Chunks of several choices alternate, as OpenAI's chat-completions reference allows.
    Clients that expect one choice after the other mix them up.
    """
    return _first(
        facts, Oddity.CHOICES_INTERLEAVED, "Chunks of several choices alternate from here on"
    )


@rule("chunks.delta-missing", Severity.WARNING, when=Oddity.DELTA_MISSING)
def delta_missing(facts: Facts) -> Iterator[Remark]:
    """A choice of a chunk has neither delta nor text.
    Clients that read choices[0].delta of every chunk fail.
    """
    return _first(facts, Oddity.DELTA_MISSING, "A choice of a chunk has no delta")


@rule("chunks.finish-key-missing", Severity.INFO, when=Oddity.FINISH_KEY_MISSING)
def finish_key_missing(facts: Facts) -> Iterator[Remark]:
    """A chunk has no finish_reason; FlowAPI's reference sends null until the end.
    Clients that read the field in every chunk fail.
    """
    return _first(facts, Oddity.FINISH_KEY_MISSING, "A chunk has no finish_reason")


@rule("chunks.role-missing", Severity.INFO, at_end=True)
def role_missing(facts: Facts) -> Iterator[Remark]:
    """No chunk of a choice has a role (OpenAI's chat-completions reference: the first one).
    Clients that append the message to the conversation send one without a role.
    """
    if facts.object != "chat.completion" or not facts.streamed or not facts.signs.message:
        return
    for choice in read_choices(facts):
        if not known(choice.role) or choice.role == "":
            where = in_choice(facts, choice, "message/role")
            yield f"Choice {choice.index} has no role.", where


@rule("chunks.role-repeated", Severity.INFO, when=Oddity.ROLE_REPEATED)
def role_repeated(facts: Facts) -> Iterator[Remark]:
    """The role was sent after the first chunk (OpenAI's chat-completions reference: only there).
    Clients that join every text of a delta read "assistantassistant".
    """
    return _first(facts, Oddity.ROLE_REPEATED, "The role was sent again")


@rule("message.in-stream", Severity.WARNING)
def message_in_stream(facts: Facts) -> Iterator[Remark]:
    """A chunk has a complete message where a stream has a delta (FlowAPI's reference).
    Clients that read only the delta miss the text.
    """
    note = facts.notes.first(Oddity.FOREIGN_CHUNK)
    if facts.streamed and note is not None:
        count = facts.notes.count(Oddity.FOREIGN_CHUNK)
        yield f"A chunk has message instead of delta{times(count)}.", note.where
    note = facts.notes.first(Oddity.MESSAGE_BESIDE_DELTA)
    if note is not None:
        count = facts.notes.count(Oddity.MESSAGE_BESIDE_DELTA)
        yield f"A chunk repeats its delta as message{times(count)}.", note.where
