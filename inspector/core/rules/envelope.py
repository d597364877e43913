"""What kind of answer this is, and the fields beside its choices."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.analysis import Verdict
from inspector.core.cursor import shorten
from inspector.core.facts import Facts, Framing, Trait
from inspector.core.findings import Severity, Where
from inspector.core.model_name import is_another_model
from inspector.core.notes import Oddity
from inspector.core.rules.rule import Remark, rule, times, type_word

# Unix seconds from 2000 to 2100; a time outside was meant in another unit, or not meant at all.
CREATED_SECONDS = range(946_684_800, 4_102_444_800)


@rule("envelope.not-a-response", Severity.ERROR, when=Verdict.NOT_A_RESPONSE)
def not_a_response(facts: Facts) -> Iterator[Remark]:
    """The body has no known response format.
    Every client of a completion API fails.
    """
    if facts.verdict is Verdict.NOT_A_RESPONSE:
        yield facts.verdict_reason, Where(byte_start=0, byte_end=facts.body_bytes)


@rule("envelope.dialect-not-read", Severity.INFO)
def dialect_not_read(facts: Facts) -> Iterator[Remark]:
    """The format is recognised and its events and times are shown, but not its choices.
    None: this is a limit of Response Inspector.
    """
    if facts.dialect is not None and not facts.dialect.is_read:
        yield f"Recognised as {facts.dialect.title}; its choices are not parsed.", Where(pointer="")


@rule("envelope.provider-error", Severity.ERROR)
def provider_error(facts: Facts) -> Iterator[Remark]:
    """The provider sent an error object, instead of the answer or in the middle of it.
    Clients that check only the status miss it: that of a stream is already 200.
    """
    if facts.provider_error is not None:
        message, where = facts.provider_error
        yield f"The provider sent an error: {message}", where


@rule("envelope.no-choices", Severity.ERROR, at_end=True)
def no_choices(facts: Facts) -> Iterator[Remark]:
    """The answer has no choices.
    Clients that read choices[0] fail.
    """
    unread = facts.verdict in (Verdict.UNREADABLE, Verdict.CUT_OFF, Verdict.PROVIDER_ERROR)
    if facts.is_read and not facts.choices and not unread and not facts.fault:
        yield "The answer has no choices.", Where(pointer="/choices")


@rule("envelope.choices-malformed", Severity.ERROR, when=Oddity.BAD_CHOICE)
def choices_malformed(facts: Facts) -> Iterator[Remark]:
    """``choices`` is not a list of objects.
    Every client that reads choices fails.
    """
    for note, count in facts.notes.by_subject(Oddity.BAD_CHOICE):
        if facts.is_read:
            what = (
                "choices is not a list"
                if note.subject == "choices"
                else "A choice is not an object"
            )
            yield f"{what}{times(count)}.", note.where


@rule("envelope.object-unexpected", Severity.WARNING)
def object_unexpected(facts: Facts) -> Iterator[Remark]:
    """``object`` names another kind of answer than the body holds.
    Clients that choose their parser by it fail.
    """
    if not facts.is_read:
        return
    sent = facts.signs.objects - facts.expected_objects - {""}
    if sent:
        yield (
            f"object is {shorten(min(sent))!r} instead of {facts.object!r}.",
            Where(pointer="/object"),
        )


@rule("envelope.object-missing", Severity.INFO, at_end=True)
def object_missing(facts: Facts) -> Iterator[Remark]:
    """``object`` was not sent or is empty (only in FlowAPI's reference it is optional).
    Clients that choose their parser by it fail.
    """
    if facts.is_read and facts.choices and not facts.signs.objects - {""}:
        yield "object is missing or empty.", Where(pointer="/object")


@rule("envelope.identity-malformed", Severity.WARNING)
def identity_malformed(facts: Facts) -> Iterator[Remark]:
    """``id`` or ``model`` is not a text.
    Typed clients fail.
    """
    for name in ("id", "model"):
        value = facts.top.get(name)
        if facts.is_read and value is not None and not isinstance(value, str):
            yield f"{name} is {type_word(value)}, not a text.", Where(pointer=f"/{name}")


@rule("envelope.identity-missing", Severity.INFO, at_end=True)
def identity_missing(facts: Facts) -> Iterator[Remark]:
    """``id`` or ``model`` was not sent or is empty (FlowAPI's reference requires neither).
    The answer cannot be looked up at the provider.
    """
    for name in ("id", "model"):
        if facts.is_read and facts.choices and not facts.top.get(name):
            yield f"{name} is missing or empty.", Where(pointer=f"/{name}")


@rule("envelope.created-missing", Severity.INFO, at_end=True)
def created_missing(facts: Facts) -> Iterator[Remark]:
    """``created`` was not sent, or is null or 0.
    Answers cannot be sorted by it.
    """
    if facts.is_read and facts.choices and not facts.top.get("created"):
        yield "created is missing or empty.", Where(pointer="/created")


@rule("envelope.created-out-of-range", Severity.WARNING)
def created_out_of_range(facts: Facts) -> Iterator[Remark]:
    """``created`` is not a Unix time in seconds.
    Clients that convert it show a wrong date or fail.
    """
    created = facts.top.get("created")
    if not facts.is_read or created in (None, 0, ""):
        return
    if created.__class__ is not int:
        yield f"created is {type_word(created)}, not whole seconds.", Where(pointer="/created")
    elif created not in CREATED_SECONDS:
        yield (
            f"created is {created:,}, which is not a Unix time in seconds.",
            Where(pointer="/created"),
        )


def _changed(facts: Facts, names: frozenset[str], remark: str) -> Iterator[Remark]:
    for note, count in facts.notes.by_subject(Oddity.FIELD_CHANGED):
        if facts.is_read and note.subject in names:
            yield (
                f"{note.subject} changed within the stream: {note.detail}{times(count)}.{remark}",
                note.where,
            )


@rule("envelope.identity-changed", Severity.WARNING, when=Oddity.FIELD_CHANGED)
def identity_changed(facts: Facts) -> Iterator[Remark]:
    """``id`` or ``model`` changed between chunks; two answers may be mixed.
    Clients that group chunks by id see two answers.
    """
    return _changed(facts, frozenset({"id", "model"}), "")


@rule("envelope.created-changed", Severity.INFO, when=Oddity.FIELD_CHANGED)
def created_changed(facts: Facts) -> Iterator[Remark]:
    """``created`` changed between chunks (OpenAI's chat-completions reference promises one time).
    None for clients that take the first.
    """
    return _changed(facts, frozenset({"created"}), "")


@rule("envelope.backend-changed", Severity.INFO, when=Oddity.FIELD_CHANGED)
def backend_changed(facts: Facts) -> Iterator[Remark]:
    """``system_fingerprint`` or ``service_tier`` changed between chunks.
    Comparisons by backend mix two of them.
    """
    return _changed(facts, frozenset({"system_fingerprint", "service_tier"}), "")


@rule("envelope.model-not-asked", Severity.INFO, when=Trait.ASKED)
def model_not_asked(facts: Facts) -> Iterator[Remark]:
    """Another model answered than the requested one or a version of it.
    Comparisons and costs by requested model are wrong.
    """
    asked, answered = facts.asked.model if facts.asked else None, facts.top.get("model")
    if not facts.is_read or asked is None or not isinstance(answered, str) or not answered:
        return
    if is_another_model(asked, answered):
        message = f"The request asks for {shorten(asked)}; {shorten(answered)} answered."
        yield message, Where(pointer="/model")


@rule("envelope.streamed-otherwise", Severity.WARNING, when=Trait.ASKED)
def streamed_otherwise(facts: Facts) -> Iterator[Remark]:
    """A stream was requested and a single document came, or the other way round.
    Clients that choose their parser by the request fail.
    """
    if facts.asked is None or not facts.is_read or facts.asked.is_streamed == facts.streamed:
        return
    if facts.framing in (Framing.DOCUMENT, Framing.EVENT_STREAM):
        came = "a document" if facts.asked.is_streamed else "a stream"
        asked = "a stream" if facts.asked.is_streamed else "no stream"
        message = f"The request asks for {asked}, but {came} came."
        yield message, Where(byte_start=0, byte_end=facts.body_bytes)


@rule("envelope.answer-with-error-status", Severity.WARNING)
def answer_with_error_status(facts: Facts) -> Iterator[Remark]:
    """An answer with choices came with status 400 or more and without an error object.
    Clients that raise on the status lose the answer.
    """
    status = facts.status_code or 0
    if status >= 400 and facts.is_read and facts.choices and facts.provider_error is None:
        yield f"The answer came with status {status}.", Where(pointer="/choices")
