"""Rules about the type of the answer and the fields outside its choices."""

import re
from collections.abc import Iterator

from inspector.core.analysis import Verdict
from inspector.core.findings import Severity, Where, shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.formats.fragment import FRAGMENT_WORDS, Fragment
from inspector.core.json.type_words import type_word
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import CHAT_FAMILY, Remark, rule, times
from inspector.core.rules.traits import CREATED_SECONDS, Trait
from inspector.core.wire.framing import Framing

SIZES = frozenset(
    {"fast", "flash", "haiku", "large", "lite", "max", "medium", "micro", "mini", "nano"}
    | {"opus", "plus", "pro", "small", "sonnet", "turbo"}
)
"""Words that distinguish models of one family."""
# As in "gpt", "4", "mini" of "gpt-4-mini".
_WORDS = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)*").findall
_MAX_CHARACTERS = 200


def is_another_model(asked: str, answered: str) -> bool:
    """Return False for an alias with a date, a name without its maker, or words in another order.

    ``gpt-4o`` and ``gpt-4o-2024-08-06`` can be one model, ``gpt-4o`` and ``gpt-4o-mini`` cannot.
    """
    one, other = _words_of(asked), _words_of(answered)
    if not one or not other:
        return False
    differing = one ^ other
    return not (one <= other or other <= one) or bool(differing & SIZES)


def _words_of(name: str) -> frozenset[str]:
    """Words and numbers of a name, without maker, variant (``:free``) and dates."""
    name = name[:_MAX_CHARACTERS].lower().rpartition("/")[2].partition(":")[0]
    return frozenset(word for word in _WORDS(name) if not _is_of_date(word))


def _is_of_date(word: str) -> bool:
    return word.isdigit() and (len(word) >= 4 or word.startswith("0"))


STREAM_ASKED = CHAT_FAMILY | {"anthropic", "openai-responses"}
"""The formats that stream only where the request's body says so."""
NO_TEXTS = (bool, int, float, list, dict)
"""Types of values that are not absent but of a wrong type."""


@rule("envelope.not-a-response", Severity.ERROR, when=Verdict.NOT_A_RESPONSE)
def not_a_response(context: RuleContext) -> Iterator[Remark]:
    """The body has no known response format.
    Every client of a completion API fails.
    """
    if context.verdict is Verdict.NOT_A_RESPONSE:
        yield context.verdict_reason, Where(byte_start=0, byte_end=context.body_bytes)


@rule("envelope.fragment", Severity.INFO, when=Trait.FRAGMENT)
def fragment(context: RuleContext) -> Iterator[Remark]:
    """The body is a part of a chat completion: one message, one usage object, or one chunk.
    Clients that expect a whole answer fail.
    """
    if context.fragment is not None:
        what = FRAGMENT_WORDS[context.fragment]
        yield f"The body is {what}; it is checked as far as it goes.", Where(pointer="")


@rule("envelope.wrapped", Severity.WARNING, when=Anomaly.WRAPPED)
def wrapped(context: RuleContext) -> Iterator[Remark]:
    """The answer stands inside another object or list: of a gateway, a batch or a logger.
    Clients that look for the answer itself find nothing.
    """
    note = context.notes.first(Anomaly.WRAPPED)
    if note is not None and context.dialect is not None:
        what = "the body" if note.where.event is None else "the events"
        place = f"{note.subject} of {what}{note.detail}"
        yield f"The answer is wrapped: it stands at {place}.", note.where


@rule("envelope.chunk-alone", Severity.WARNING, when=Trait.FRAGMENT)
def chunk_alone(context: RuleContext) -> Iterator[Remark]:
    """One chunk of a stream is the whole body, where an answer is due.
    Clients find a delta and no message.
    """
    if context.fragment is Fragment.CHUNK:
        yield "The whole body is one chunk of a stream.", Where(pointer="")


@rule("envelope.provider-error", Severity.ERROR, when=(Anomaly.PROVIDER_ERROR, Trait.NO_ANSWER))
def provider_error(context: RuleContext) -> Iterator[Remark]:
    """The provider sent an error object, instead of the answer or in the middle of it.
    Programs raise an error and have no answer.
    Clients that check only the status miss it: it was sent before the error.
    """
    if context.provider_error is not None:
        message, where = context.provider_error
        who = "The record tells of an error" if context.is_told else "The provider sent an error"
        yield f"{who}: {message}", where


@rule("envelope.no-choices", Severity.ERROR, at_end=True, when=Trait.NO_CHOICES)
def no_choices(context: RuleContext) -> Iterator[Remark]:
    """The answer has no choices, and does not say that a filter blocked the prompt.
    Clients that read choices[0] fail.
    """
    unread = context.verdict in (Verdict.UNREADABLE, Verdict.CUT_OFF, Verdict.PROVIDER_ERROR)
    is_due = context.is_answer and context.fragment is None and not unread and not context.fault
    if is_due and not context.is_told and not context.choices and context.block_reason is None:
        yield "The answer has no choices.", Where(pointer="/choices")


@rule("envelope.choices-malformed", Severity.ERROR, formats=CHAT_FAMILY, when=Anomaly.BAD_CHOICE)
def choices_malformed(context: RuleContext) -> Iterator[Remark]:
    """``choices`` is not a list of objects.
    Every client that reads choices fails.
    """
    for note, count in context.notes.by_subject(Anomaly.BAD_CHOICE):
        if context.is_answer:
            what = (
                "choices is not a list"
                if note.subject == "choices"
                else "A choice is not an object"
            )
            yield f"{what}{times(count)}.", note.where


@rule("envelope.object-unexpected", Severity.WARNING, formats=CHAT_FAMILY)
def object_unexpected(context: RuleContext) -> Iterator[Remark]:
    """``object`` names another kind of answer than the body holds.
    Clients that choose their parser by it fail.
    """
    if not context.is_answer:
        return
    sent = context.objects.keys() - context.expected_objects - {""}
    for name in sorted(sent, key=context.objects.__getitem__)[:1]:
        event = context.objects[name] if context.streamed else None
        message = f"object is {shorten(name)!r} instead of {context.expected_object!r}."
        yield message, Where(pointer="/object", event=event)


@rule(
    "envelope.object-missing",
    Severity.INFO,
    formats=CHAT_FAMILY,
    at_end=True,
    when=Trait.IDENTITY_UNUSUAL,
)
def object_missing(context: RuleContext) -> Iterator[Remark]:
    """``object`` was not sent or is empty (only in FlowAPI's reference it is optional).
    Clients that choose their parser by it fail.
    """
    is_odd = isinstance(context.top.get("object"), NO_TEXTS)
    if context.has_envelope and not context.signs.objects - {""} and not is_odd:
        yield "object is missing or empty.", Where(pointer="/object")


@rule("envelope.identity-malformed", Severity.WARNING, when=Trait.IDENTITY_UNUSUAL)
def identity_malformed(context: RuleContext) -> Iterator[Remark]:
    """``id``, ``object``, ``model`` or ``system_fingerprint`` is not a text.
    Typed clients fail.
    """
    for name in ("id", "object", "model", "system_fingerprint"):
        value = context.top.get(name)
        if context.is_answer and value is not None and not isinstance(value, str):
            yield f"{name} is {type_word(value)}, not a text.", Where(pointer=f"/{name}")


@rule(
    "envelope.identity-missing",
    Severity.INFO,
    formats=CHAT_FAMILY,
    at_end=True,
    when=Trait.IDENTITY_UNUSUAL,
)
def identity_missing(context: RuleContext) -> Iterator[Remark]:
    """``id`` or ``model`` was not sent or is empty (FlowAPI's reference requires neither).
    The answer cannot be looked up at the provider.
    """
    for name in ("id", "model"):
        sent = context.top.get(name)
        if context.has_envelope and not sent and not isinstance(sent, NO_TEXTS):
            yield f"{name} is missing or empty.", Where(pointer=f"/{name}")


@rule(
    "envelope.fingerprint-missing",
    Severity.INFO,
    formats=CHAT_FAMILY,
    at_end=True,
    when=(Trait.IDENTITY_UNUSUAL, Trait.REQUEST_KNOWN),
)
def fingerprint_missing(context: RuleContext) -> Iterator[Remark]:
    """``system_fingerprint`` is empty, or the request sets a seed and none was sent.
    Whether the backend changed between two answers with the same seed cannot be seen.
    """
    sent = context.top.get("system_fingerprint")
    if not context.has_envelope or sent not in (None, ""):
        return
    seed = context.request_params.seed if context.request_params else None
    where = Where(pointer="/system_fingerprint")
    if seed is not None:
        yield f"The request sets the seed {seed:,}, but no system_fingerprint was sent.", where
    elif sent == "":
        yield "system_fingerprint is empty.", where


@rule(
    "envelope.created-missing",
    Severity.INFO,
    formats=CHAT_FAMILY,
    at_end=True,
    when=Trait.IDENTITY_UNUSUAL,
)
def created_missing(context: RuleContext) -> Iterator[Remark]:
    """``created`` was not sent, or is null or 0.
    Answers cannot be sorted by it.
    """
    if context.has_envelope and not context.top.get("created"):
        yield "created is missing or empty.", Where(pointer="/created")


@rule(
    "envelope.created-out-of-range",
    Severity.WARNING,
    formats=CHAT_FAMILY,
    when=Trait.IDENTITY_UNUSUAL,
)
def created_out_of_range(context: RuleContext) -> Iterator[Remark]:
    """``created`` is not a Unix time in seconds.
    Clients that convert it show a wrong date or fail.
    """
    created = context.top.get("created")
    if not context.is_answer or created in (None, 0, ""):
        return
    if created.__class__ is not int:
        yield f"created is {type_word(created)}, not whole seconds.", Where(pointer="/created")
    elif created not in CREATED_SECONDS:
        yield (
            f"created is {created:,}, which is not a Unix time in seconds.",
            Where(pointer="/created"),
        )


def _changed(context: RuleContext, names: frozenset[str], remark: str) -> Iterator[Remark]:
    for note, count in context.notes.by_subject(Anomaly.FIELD_CHANGED):
        if context.is_answer and note.subject in names:
            yield (
                f"{note.subject} changed within the stream: {note.detail}{times(count)}.{remark}",
                note.where,
            )


@rule("envelope.identity-changed", Severity.WARNING, when=Anomaly.FIELD_CHANGED)
def identity_changed(context: RuleContext) -> Iterator[Remark]:
    """``id`` or ``model`` changed between chunks; two answers may be mixed.
    Clients that group chunks by id see two answers.
    """
    names = context.dialect.identity if context.dialect else {}
    return _changed(context, frozenset({names.get("id", "id"), names.get("model", "model")}), "")


@rule("envelope.created-changed", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.FIELD_CHANGED)
def created_changed(context: RuleContext) -> Iterator[Remark]:
    """``created`` changed between chunks (OpenAI's chat-completions reference promises one time).
    None for clients that take the first.
    """
    return _changed(context, frozenset({"created"}), "")


@rule("envelope.backend-changed", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.FIELD_CHANGED)
def backend_changed(context: RuleContext) -> Iterator[Remark]:
    """``system_fingerprint`` or ``service_tier`` changed between chunks.
    Comparisons by backend mix two of them.
    """
    return _changed(context, frozenset({"system_fingerprint", "service_tier"}), "")


@rule("envelope.model-not-asked", Severity.INFO, when=Trait.REQUEST_KNOWN)
def model_not_asked(context: RuleContext) -> Iterator[Remark]:
    """Another model answered than the requested one or a version of it.
    Comparisons and costs by requested model are wrong.
    """
    asked, answered = (
        context.request_params.model if context.request_params else None,
        context.top.get("model"),
    )
    if not context.is_answer or asked is None or not isinstance(answered, str) or not answered:
        return
    if is_another_model(asked, answered):
        message = f"The request asks for {shorten(asked)}; {shorten(answered)} answered."
        yield message, Where(pointer="/model")


@rule(
    "envelope.streamed-otherwise", Severity.WARNING, formats=STREAM_ASKED, when=Trait.REQUEST_KNOWN
)
def streamed_otherwise(context: RuleContext) -> Iterator[Remark]:
    """A stream was requested and a single document came, or the other way round.
    Clients that choose their parser by the request fail.
    """
    if (
        context.request_params is None
        or not context.is_answer
        or context.request_params.is_streamed == context.streamed
    ):
        return
    if context.framing in (Framing.DOCUMENT, Framing.EVENT_STREAM):
        came = "a document" if context.request_params.is_streamed else "a stream"
        asked = "a stream" if context.request_params.is_streamed else "no stream"
        message = f"The request asks for {asked}, but {came} came."
        yield message, Where(byte_start=0, byte_end=context.body_bytes)


@rule("envelope.answer-with-error-status", Severity.WARNING, when=Trait.ERROR_STATUS)
def answer_with_error_status(context: RuleContext) -> Iterator[Remark]:
    """An answer with choices came with status 400 or more and without an error object.
    Clients that raise on the status lose the answer.
    """
    status = context.status_code or 0
    if status >= 400 and context.is_answer and context.choices and context.provider_error is None:
        yield f"The answer came with status {status}.", Where(pointer="/choices")
