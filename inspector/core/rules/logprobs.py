"""Log probabilities of tokens. No document says more of them than their shape (000, 004)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inspector.core.facts import Facts, Trait
from inspector.core.findings import Severity, Where
from inspector.core.logprobs import Logprobs, Part, Token
from inspector.core.rules.rule import Remark, rule, times

LISTS = {Part.CONTENT: "content", Part.REFUSAL: "refusal", Part.TEXT: "tokens"}


def _at(facts: Facts, read: Logprobs, token: Token | None = None) -> Where:
    place = f"/{LISTS[token.part]}/{token.position}" if token else ""
    return Where(pointer=f"{facts.pointer_of(read.choice)}/logprobs{place}")


def _tokens(facts: Facts, is_meant: Callable[[Token], bool], what: str) -> Iterator[Remark]:
    """One remark for each choice: the first of the tokens that are meant, and how many."""
    for read in facts.logprobs:
        found = [token for token in read.tokens if is_meant(token)]
        if found:
            number = f"token {found[0].position} of choice {read.choice}"
            yield f"The logprob of {number} {what}{times(len(found))}.", _at(facts, read, found[0])


@rule("logprobs.misaligned", Severity.INFO, at_end=True, when=Trait.LOGPROBS)
def misaligned(facts: Facts) -> Iterator[Remark]:
    """The tokens do not join to the text of their choice, or their offsets do not match.
    Highlighting by token marks the wrong text.
    """
    for read in facts.logprobs:
        for part, aligned in read.aligned.items():
            if not aligned:
                yield _not_joining(facts, read, part)
        if not read.offsets_fit and read.aligned.get(Part.TEXT):
            yield (
                f"text_offset of choice {read.choice} does not match its tokens.",
                _at(facts, read),
            )


def _not_joining(facts: Facts, read: Logprobs, part: Part) -> Remark:
    lost = [token for token in read.tokens if token.part is part and token.start is None]
    said = f"The tokens of choice {read.choice} do not join to its {part}"
    if not lost:
        return f"{said}: the {part} continues after the last token.", _at(facts, read)
    first = f"token {lost[0].position} is not in it"
    return f"{said}: {first}{times(len(lost))}.", _at(facts, read, lost[0])


@rule("logprobs.lengths-differ", Severity.WARNING, at_end=True, when=Trait.LOGPROBS)
def lengths_differ(facts: Facts) -> Iterator[Remark]:
    """The parallel arrays of legacy logprobs differ in length.
    Clients that loop over them together fail.
    """
    for read in facts.logprobs:
        if read.lengths_differ:
            lengths = ", ".join(f"{name} {length:,}" for name, length in read.lengths.items())
            yield (
                f"The logprobs arrays of choice {read.choice} differ in length: {lengths}.",
                _at(facts, read),
            )


@rule("logprobs.malformed", Severity.WARNING, when=Trait.LOGPROBS)
def malformed(facts: Facts) -> Iterator[Remark]:
    """A token is not a text or an object, or its logprob is not a number.
    Clients that compute with them fail.
    """
    yield from _tokens(facts, lambda token: token.is_malformed, "or its text has the wrong type")
    for read in facts.logprobs:
        if read.entries_left_out:
            count = times(read.entries_left_out)
            yield (
                f"A logprobs entry of choice {read.choice} is not an object{count}.",
                _at(facts, read),
            )


@rule("logprobs.positive", Severity.WARNING, when=Trait.LOGPROBS)
def positive(facts: Facts) -> Iterator[Remark]:
    """A logprob is above 0, so its probability would be above 1.
    Probabilities computed from it are wrong.
    """
    return _tokens(facts, lambda token: token.is_positive, "is above 0")


@rule("logprobs.sentinel", Severity.INFO, when=Trait.LOGPROBS)
def sentinel(facts: Facts) -> Iterator[Remark]:
    """A logprob is -9999, which means "too unlikely" and is not measured.
    Sums and means over logprobs are wrong.
    """
    return _tokens(facts, lambda token: token.is_sentinel, "is -9999, which means no value")


@rule("logprobs.null", Severity.INFO, when=Trait.LOGPROBS)
def null(facts: Facts) -> Iterator[Remark]:
    """A logprob is null. The first one of a legacy completion may be: no token precedes it.
    Sums and means over logprobs fail.
    """
    return _tokens(facts, _is_null, "is null")


def _is_null(token: Token) -> bool:
    return token.logprob is None and (token.part is not Part.TEXT or token.position > 0)
