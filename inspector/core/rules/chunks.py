"""Rules about the chunks of a stream: what each must contain, and their order."""

from collections.abc import Iterator

from inspector.core import formats
from inspector.core.completion import known
from inspector.core.findings import Severity, Where
from inspector.core.fold.anomalies import Anomaly
from inspector.core.rule_context import RuleContext
from inspector.core.rules.message import ODD_ROLE
from inspector.core.rules.rule import (
    CHAT_FAMILY,
    Remark,
    in_choice,
    listing,
    read_choices,
    rule,
    times,
)
from inspector.core.rules.traits import Trait


def _first(context: RuleContext, anomaly: Anomaly, message: str) -> Iterator[Remark]:
    note = context.notes.first(anomaly) if context.is_answer and context.streamed else None
    if note is not None:
        yield f"{message}{times(context.notes.count(anomaly))}.", note.where


@rule("chunks.choices-missing", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.CHOICES_MISSING)
def choices_missing(context: RuleContext) -> Iterator[Remark]:
    """A chunk has no choices list and no error (OpenAI's chat-completions reference requires one).
    Clients that loop over the choices of every chunk fail.
    """
    return _first(context, Anomaly.CHOICES_MISSING, "A chunk has no choices")


@rule("chunks.choices-empty", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.EMPTY_CHOICES)
def choices_empty(context: RuleContext) -> Iterator[Remark]:
    """A chunk has an empty list of choices and no usage, such as Azure's first one.
    Clients that read choices[0] of every chunk fail.
    """
    return _first(context, Anomaly.EMPTY_CHOICES, "A chunk has neither choices nor usage")


@rule(
    "chunks.choices-interleaved",
    Severity.INFO,
    formats=CHAT_FAMILY,
    when=Anomaly.CHOICES_INTERLEAVED,
)
def choices_interleaved(context: RuleContext) -> Iterator[Remark]:
    """Chunks of several choices alternate, as OpenAI's chat-completions reference allows.
    Clients that expect one choice after the other mix them up.
    """
    return _first(
        context, Anomaly.CHOICES_INTERLEAVED, "Chunks of several choices alternate from here on"
    )


@rule("chunks.delta-missing", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.DELTA_MISSING)
def delta_missing(context: RuleContext) -> Iterator[Remark]:
    """A choice of a chunk has neither delta nor text.
    Clients that read choices[0].delta of every chunk fail.
    """
    return _first(context, Anomaly.DELTA_MISSING, "A choice of a chunk has no delta")


@rule(
    "chunks.finish-key-missing", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.FINISH_KEY_MISSING
)
def finish_key_missing(context: RuleContext) -> Iterator[Remark]:
    """A chunk has no finish_reason; FlowAPI's reference sends null until the end.
    Clients that read the field in every chunk fail.
    """
    return _first(context, Anomaly.FINISH_KEY_MISSING, "A chunk has no finish_reason")


@rule("chunks.finish-empty", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.FINISH_EMPTY)
def finish_empty(context: RuleContext) -> Iterator[Remark]:
    """A chunk has "" as finish_reason, where OpenAI's chat-completions reference sends null.
    Clients that take every text for a finish reason end there.
    """
    return _finish_texts(context, "")


@rule("chunks.finish-null-text", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.FINISH_EMPTY)
def finish_null_text(context: RuleContext) -> Iterator[Remark]:
    """A chunk has the text "null" as finish_reason instead of null; it is read as null.
    Clients that take every text for a finish reason end there.
    """
    return _finish_texts(context, "null")


def _finish_texts(context: RuleContext, text: str) -> Iterator[Remark]:
    for note, _ in context.notes.by_subject(Anomaly.FINISH_EMPTY):
        if context.is_answer and note.subject == text:
            yield f'A chunk has the finish reason "{text}" instead of null.', note.where


@rule("chunks.field-missing", Severity.INFO, formats=CHAT_FAMILY, when=Trait.LACKING)
def field_missing(context: RuleContext) -> Iterator[Remark]:
    """A chunk has no id, object, created, model or fingerprint, although another one has it.
    Clients that read the field in every chunk fail, or see two answers.
    """
    by_event: dict[int, list[str]] = {}
    for name, event in context.lacking.items() if context.is_answer else ():
        if context.top.get(name):
            by_event.setdefault(event, []).append(name)
    for event, names in by_event.items():
        yield f"A chunk has no {listing(names, 'or')}.", Where(pointer=f"/{names[0]}", event=event)


@rule("chunks.format-mixed", Severity.WARNING, when=Anomaly.FORMAT_MIXED)
def format_mixed(context: RuleContext) -> Iterator[Remark]:
    """An object among the others has another format than the first; its content is not read.
    Clients of the one format fail on it, or skip what it says.
    """
    own = context.dialect.title if context.dialect else "response"
    for note, count in context.notes.by_subject(Anomaly.FORMAT_MIXED):
        other = formats.dialects()[note.subject].title
        yield f"Part of another format, {other}, stands in this {own}{times(count)}.", note.where


@rule(
    "chunks.role-missing", Severity.INFO, formats=CHAT_FAMILY, at_end=True, when=Trait.ROLE_UNUSUAL
)
def role_missing(context: RuleContext) -> Iterator[Remark]:
    """No chunk of a choice has a role (OpenAI's chat-completions reference: the first one).
    Clients that append the message to the conversation send one without a role.
    """
    if context.object != "chat.completion" or not context.streamed or not context.signs.message:
        return
    for choice in read_choices(context):
        if not known(choice.role) and ODD_ROLE not in choice.extras:
            where = in_choice(context, choice, "message/role")
            yield f"Choice {choice.index} has no role.", where


@rule("chunks.role-repeated", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.ROLE_REPEATED)
def role_repeated(context: RuleContext) -> Iterator[Remark]:
    """The role was sent after the first chunk (OpenAI's chat-completions reference: only there).
    Clients that join every text of a delta read "assistantassistant".
    """
    return _first(context, Anomaly.ROLE_REPEATED, "The role was sent again")


@rule(
    "message.in-stream",
    Severity.WARNING,
    formats=CHAT_FAMILY,
    when=(Anomaly.FOREIGN_CHUNK, Anomaly.MESSAGE_BESIDE_DELTA),
)
def message_in_stream(context: RuleContext) -> Iterator[Remark]:
    """A chunk has a complete message where a stream has a delta (FlowAPI's reference).
    Clients that read only the delta miss the text.
    """
    note = context.notes.first(Anomaly.FOREIGN_CHUNK)
    if context.streamed and note is not None:
        count = context.notes.count(Anomaly.FOREIGN_CHUNK)
        yield f"A chunk has message instead of delta{times(count)}.", note.where
    note = context.notes.first(Anomaly.MESSAGE_BESIDE_DELTA)
    if note is not None:
        count = context.notes.count(Anomaly.MESSAGE_BESIDE_DELTA)
        yield f"A chunk repeats its delta as message{times(count)}.", note.where
