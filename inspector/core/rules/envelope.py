"""What kind of answer this is, and the fields beside its choices."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.analysis import Verdict
from inspector.core.cursor import shorten
from inspector.core.facts import Facts, Framing, Trait
from inspector.core.findings import Severity, Where
from inspector.core.model_name import is_another_model
from inspector.core.notes import Oddity
from inspector.core.rules.rule import Remark, rule, times

# Unix seconds from 2000 to 2100; a time outside was meant in another unit, or not meant at all.
CREATED_SECONDS = range(946_684_800, 4_102_444_800)


@rule("envelope.not-a-response", Severity.ERROR, when=Verdict.NOT_A_RESPONSE)
def not_a_response(facts: Facts) -> Iterator[Remark]:
    """No dialect recognises the body.
    Every client of a completion API.
    """
    if facts.verdict is Verdict.NOT_A_RESPONSE:
        yield facts.verdict_reason, Where(byte_start=0, byte_end=facts.body_bytes)


@rule("envelope.dialect-not-read", Severity.INFO)
def dialect_not_read(facts: Facts) -> Iterator[Remark]:
    """The format is recognised, its events and times are read, its choices are not.
    Nobody: it is a limit of this inspector.
    """
    if facts.dialect is not None and not facts.dialect.is_read:
        yield f"Recognised as {facts.dialect.title}; its choices are not read.", Where(pointer="")


@rule("envelope.provider-error", Severity.ERROR)
def provider_error(facts: Facts) -> Iterator[Remark]:
    """The provider sent an error object, in place of the answer or in the middle of it.
    Clients that look at the status alone: a stream's status is 200 by then.
    """
    if facts.provider_error is not None:
        message, where = facts.provider_error
        yield f"The provider says: {message}", where


@rule("envelope.no-choices", Severity.ERROR, at_end=True)
def no_choices(facts: Facts) -> Iterator[Remark]:
    """An answer without a single choice.
    Clients that read choices[0].
    """
    unread = facts.verdict in (Verdict.UNREADABLE, Verdict.CUT_OFF, Verdict.PROVIDER_ERROR)
    if facts.is_read and not facts.choices and not unread and not facts.fault:
        yield "There is no choice in it.", Where(pointer="/choices")


@rule("envelope.choices-malformed", Severity.ERROR, when=Oddity.BAD_CHOICE)
def choices_malformed(facts: Facts) -> Iterator[Remark]:
    """``choices`` is not a list of objects.
    Every client that reads choices.
    """
    for note, count in facts.notes.by_subject(Oddity.BAD_CHOICE):
        if facts.is_read:
            what = "choices is not a list" if note.subject == "choices" else "A choice is no object"
            yield f"{what}{times(count)}.", note.where


@rule("envelope.object-unexpected", Severity.WARNING)
def object_unexpected(facts: Facts) -> Iterator[Remark]:
    """``object`` names another kind of answer than the one it stands in (000, 001, 002, 004).
    Clients that choose their reader by it.
    """
    if not facts.is_read:
        return
    sent = facts.signs.objects - facts.expected_objects - {""}
    if sent:
        yield (
            f"object is {shorten(min(sent))!r} where {facts.object!r} is due.",
            Where(pointer="/object"),
        )


@rule("envelope.object-missing", Severity.INFO, at_end=True)
def object_missing(facts: Facts) -> Iterator[Remark]:
    """``object`` was never sent, or is empty (000, 001, 002 and 004 have one value; 003 "usually").
    Clients that choose their reader by it.
    """
    if facts.is_read and facts.choices and not facts.signs.objects - {""}:
        yield "object is missing or empty.", Where(pointer="/object")


@rule("envelope.identity-malformed", Severity.WARNING)
def identity_malformed(facts: Facts) -> Iterator[Remark]:
    """``id`` or ``model`` is not text.
    Typed clients.
    """
    for name in ("id", "model"):
        value = facts.top.get(name)
        if facts.is_read and value is not None and not isinstance(value, str):
            yield f"{name} is {type(value).__name__}, not text.", Where(pointer=f"/{name}")


@rule("envelope.identity-missing", Severity.INFO, at_end=True)
def identity_missing(facts: Facts) -> Iterator[Remark]:
    """``id`` or ``model`` was not sent, or is empty (003 requires neither).
    Whoever looks an answer up at the provider.
    """
    for name in ("id", "model"):
        if facts.is_read and facts.choices and not facts.top.get(name):
            yield f"{name} is missing or empty.", Where(pointer=f"/{name}")


@rule("envelope.created-missing", Severity.INFO, at_end=True)
def created_missing(facts: Facts) -> Iterator[Remark]:
    """``created`` was never sent, or is null or 0 (000, 001, 002 and 004 have it; 003 shows it).
    Whoever sorts answers by it.
    """
    if facts.is_read and facts.choices and not facts.top.get("created"):
        yield "created is missing or empty.", Where(pointer="/created")


@rule("envelope.created-out-of-range", Severity.WARNING)
def created_out_of_range(facts: Facts) -> Iterator[Remark]:
    """``created`` is not a Unix time in seconds.
    Clients that turn it into a date.
    """
    created = facts.top.get("created")
    if not facts.is_read or created in (None, 0, ""):
        return
    if created.__class__ is not int:
        yield f"created is {type(created).__name__}, not whole seconds.", Where(pointer="/created")
    elif created not in CREATED_SECONDS:
        yield f"created is {created:,}: not Unix time in seconds.", Where(pointer="/created")


def _changed(facts: Facts, names: frozenset[str], remark: str) -> Iterator[Remark]:
    for note, count in facts.notes.by_subject(Oddity.FIELD_CHANGED):
        if facts.is_read and note.subject in names:
            yield (
                f"{note.subject} changed within the stream: {note.detail}{times(count)}.{remark}",
                note.where,
            )


@rule("envelope.identity-changed", Severity.WARNING, when=Oddity.FIELD_CHANGED)
def identity_changed(facts: Facts) -> Iterator[Remark]:
    """``id`` or ``model`` changed between chunks (001 promises one id).
    Clients that group chunks by id; two answers may be spliced.
    """
    return _changed(facts, frozenset({"id", "model"}), "")


@rule("envelope.created-changed", Severity.INFO, when=Oddity.FIELD_CHANGED)
def created_changed(facts: Facts) -> Iterator[Remark]:
    """``created`` changed between chunks: 001 promises one time, the sample of 003 drifts.
    Nobody who takes the first.
    """
    return _changed(facts, frozenset({"created"}), "")


@rule("envelope.backend-changed", Severity.INFO, when=Oddity.FIELD_CHANGED)
def backend_changed(facts: Facts) -> Iterator[Remark]:
    """``system_fingerprint`` or ``service_tier`` changed between chunks.
    Whoever compares answers by backend.
    """
    return _changed(facts, frozenset({"system_fingerprint", "service_tier"}), "")


@rule("envelope.model-not-asked", Severity.INFO, when=Trait.ASKED)
def model_not_asked(facts: Facts) -> Iterator[Remark]:
    """The model that answered is not the one that the request names, nor a version of it.
    Whoever compares or pays by model.
    """
    asked, answered = facts.asked.model if facts.asked else None, facts.top.get("model")
    if not facts.is_read or asked is None or not isinstance(answered, str) or not answered:
        return
    if is_another_model(asked, answered):
        message = f"The request asks for {shorten(asked)}, {shorten(answered)} answered."
        yield message, Where(pointer="/model")


@rule("envelope.streamed-otherwise", Severity.WARNING, when=Trait.ASKED)
def streamed_otherwise(facts: Facts) -> Iterator[Remark]:
    """The request asks for a stream and got a document, or the other way round (000).
    Clients that choose their reader by what they asked for.
    """
    if facts.asked is None or not facts.is_read or facts.asked.is_streamed == facts.streamed:
        return
    if facts.framing in (Framing.DOCUMENT, Framing.EVENT_STREAM):
        said = "a stream, and one document" if facts.asked.is_streamed else "no stream, and one"
        yield f"The request asks for {said} came.", Where(byte_start=0, byte_end=facts.body_bytes)


@rule("envelope.answer-with-error-status", Severity.WARNING)
def answer_with_error_status(facts: Facts) -> Iterator[Remark]:
    """An answer with choices came with a status of 400 or more, and without an error object.
    Clients that raise by the status: they lose the answer.
    """
    status = facts.status_code or 0
    if status >= 400 and facts.is_read and facts.choices and facts.provider_error is None:
        yield f"An answer came with status {status}.", Where(pointer="/choices")
