"""Rules about log probabilities of tokens. WorkflowAI's reference and OpenAI's completions
reference define no more than their shape.
"""

from collections.abc import Callable, Iterator

from inspector.core.completion import Choice, known
from inspector.core.fields.logprobs import LEGACY, Logprobs, LogprobsPart, LogprobToken, is_number
from inspector.core.findings import Severity, Where, shorten_quoted
from inspector.core.formats.places import CHAT_CHOICE
from inspector.core.json.type_words import type_word
from inspector.core.rule_context import RuleContext, has_finish_reason
from inspector.core.rules.rule import CHAT_FAMILY, Remark, in_choice, read_choices, rule, times
from inspector.core.rules.traits import Trait

MARGIN = 1e-3
"""Difference of log probabilities that rounding explains."""
LISTS = {
    LogprobsPart.CONTENT: "content",
    LogprobsPart.REFUSAL: "refusal",
    LogprobsPart.TEXT: "tokens",
}


def _at(context: RuleContext, read: Logprobs, token: LogprobToken | None = None) -> Where:
    place = f"/{LISTS[token.part]}/{token.position}" if token else ""
    if context.places.choice != CHAT_CHOICE:
        # Other formats have their tokens at places of their own.
        return Where(pointer=context.pointer_of(read.choice))
    return Where(pointer=f"{context.pointer_of(read.choice)}/logprobs{place}")


def _tokens(
    context: RuleContext, is_meant: Callable[[LogprobToken], bool], what: str
) -> Iterator[Remark]:
    """Yield one remark per choice, about the first of the selected tokens and their number."""
    for read in context.logprobs:
        found = [token for token in read.tokens if is_meant(token)]
        if found:
            number = f"token {found[0].position} of choice {read.choice}"
            yield (
                f"The logprob of {number} {what}{times(len(found))}.",
                _at(context, read, found[0]),
            )


@rule("logprobs.misaligned", Severity.INFO, at_end=True, when=Trait.LOGPROBS)
def misaligned(context: RuleContext) -> Iterator[Remark]:
    """The tokens do not join to the text of their choice, or their offsets do not match.
    Highlighting by token marks the wrong text.
    """
    for read in context.logprobs:
        for part, aligned in read.aligned.items():
            if not aligned:
                yield _not_joining(context, read, part)
        if not read.offsets_fit and read.aligned.get(LogprobsPart.TEXT):
            yield (
                f"text_offset of choice {read.choice} does not match its tokens.",
                _at(context, read),
            )


def _not_joining(context: RuleContext, read: Logprobs, part: LogprobsPart) -> Remark:
    lost = [token for token in read.tokens if token.part is part and token.start is None]
    sentence = f"The tokens of choice {read.choice} do not join to its {part}"
    if not lost:
        return f"{sentence}: the {part} continues after the last token.", _at(context, read)
    first = f"token {lost[0].position} is not in it"
    return f"{sentence}: {first}{times(len(lost))}.", _at(context, read, lost[0])


@rule("logprobs.lengths-differ", Severity.WARNING, at_end=True, when=Trait.LOGPROBS)
def lengths_differ(context: RuleContext) -> Iterator[Remark]:
    """The parallel arrays of legacy logprobs differ in length.
    Clients that loop over them together fail.
    """
    for read in context.logprobs:
        if read.lengths_differ:
            lengths = ", ".join(f"{name} {length:,}" for name, length in read.lengths.items())
            yield (
                f"The logprobs arrays of choice {read.choice} differ in length: {lengths}.",
                _at(context, read),
            )


@rule(
    "logprobs.array-missing", Severity.INFO, formats=CHAT_FAMILY, at_end=True, when=Trait.LOGPROBS
)
def array_missing(context: RuleContext) -> Iterator[Remark]:
    """Legacy logprobs lack one of the four arrays of OpenAI's completions reference.
    Clients that loop over them together fail.
    """
    if context.object != "text_completion":
        return
    for choice in read_choices(context):
        sent = choice.logprobs if isinstance(choice.logprobs, dict) else {}
        lacks = [name for name in LEGACY if name not in sent]
        if sent and lacks:
            where = in_choice(context, choice, f"logprobs/{lacks[0]}")
            yield f"The logprobs of choice {choice.index} have no {' and no '.join(lacks)}.", where


@rule("logprobs.malformed", Severity.WARNING, when=Trait.LOGPROBS)
def malformed(context: RuleContext) -> Iterator[Remark]:
    """``logprobs`` or an entry is no object, a token no text, or its logprob no number.
    Clients that compute with them fail.
    """
    for choice in read_choices(context):
        if known(choice.logprobs) and not isinstance(choice.logprobs, dict):
            word = type_word(choice.logprobs)
            where = in_choice(context, choice, "logprobs")
            yield f"The logprobs of choice {choice.index} are {word}, not an object.", where
        yield from _malformed_members(context, choice)
    yield from _tokens(context, lambda token: token.is_malformed, "or its text has the wrong type")
    for read in context.logprobs:
        if read.entries_left_out:
            count = times(read.entries_left_out)
            yield (
                f"A logprobs entry of choice {read.choice} is not an object{count}.",
                _at(context, read),
            )


def _malformed_members(context: RuleContext, choice: Choice) -> Iterator[Remark]:
    """Members that are no lists: of chat answers and of legacy completions."""
    sent = choice.logprobs if isinstance(choice.logprobs, dict) else {}
    for name in ("content", "refusal", *LEGACY):
        value = sent.get(name)
        if value is not None and not isinstance(value, list):
            said = f"{type_word(value)}, not a list: {shorten_quoted(value)}"
            where = in_choice(context, choice, f"logprobs/{name}")
            yield f"logprobs.{name} of choice {choice.index} is {said}.", where


@rule("logprobs.alternatives-elsewhere", Severity.WARNING, at_end=True, when=Trait.LOGPROBS)
def alternatives_elsewhere(context: RuleContext) -> Iterator[Remark]:
    """A token is likelier than an alternative and not among them: they are another token's.
    Readers of alternatives and of confidence are shown what the model never weighed.
    """
    for read in context.logprobs:
        found = [token for token in read.tokens if _is_left_out(token)]
        if found:
            first = found[0]
            yield (
                f"Token {first.position} of choice {read.choice}, {shorten_quoted(first.text)} "
                f"({first.logprob}), is not among its most likely alternatives, the last of which "
                f"has {_least(first)}{times(len(found))}.",
                _at(context, read, first),
            )


def _is_left_out(token: LogprobToken) -> bool:
    for other in token.alternatives:
        if token.text == other.token:
            return False
    least = _least(token)
    return least is not None and is_number(token.logprob) and token.logprob > least + MARGIN


def _least(token: LogprobToken) -> float | None:
    """The log probability of the least likely alternative."""
    return min((one.logprob for one in token.alternatives if is_number(one.logprob)), default=None)


@rule(
    "logprobs.asked-not-sent",
    Severity.INFO,
    formats=CHAT_FAMILY,
    at_end=True,
    when=Trait.REQUEST_KNOWN,
)
def asked_not_sent(context: RuleContext) -> Iterator[Remark]:
    """The request asks for log probabilities, and a finished choice has none.
    Programs that compute with them fail or take the answer for certain.
    """
    if context.request_params is None or not context.request_params.wants_logprobs:
        return
    for choice in read_choices(context):
        if not known(choice.logprobs) and has_finish_reason(choice.finish_reason):
            came = "null came" if choice.logprobs is None else "none came"
            where = in_choice(context, choice, "logprobs")
            yield f"The request asks for logprobs; {came} with choice {choice.index}.", where


@rule("logprobs.positive", Severity.WARNING, when=Trait.LOGPROBS)
def positive(context: RuleContext) -> Iterator[Remark]:
    """A logprob is above 0, so its probability would be above 1.
    Probabilities computed from it are wrong.
    """
    return _tokens(context, lambda token: token.is_positive, "is above 0")


@rule("logprobs.sentinel", Severity.INFO, when=Trait.LOGPROBS)
def sentinel(context: RuleContext) -> Iterator[Remark]:
    """A logprob is -9999, which means "too unlikely" and is not measured.
    Sums and means over logprobs are wrong.
    """
    return _tokens(context, lambda token: token.is_sentinel, "is -9999, which means no value")


@rule("logprobs.null", Severity.INFO, when=Trait.LOGPROBS)
def null(context: RuleContext) -> Iterator[Remark]:
    """A logprob is null. The first one of a legacy completion may be: no token precedes it.
    Sums and means over logprobs fail.
    """
    return _tokens(context, _is_null, "is null")


def _is_null(token: LogprobToken) -> bool:
    return token.logprob is None and (token.part is not LogprobsPart.TEXT or token.position > 0)
