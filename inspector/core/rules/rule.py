"""What a rule is: a function from facts to remarks, with a code and a severity."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from inspector.core.completion import Choice, Json
from inspector.core.facts import Facts
from inspector.core.findings import Severity, Where

Remark = tuple[str, Where]
"""One sentence for people, and the place it is about."""
Check = Callable[[Facts], Iterable[Remark]]


class Rule(msgspec.Struct, frozen=True):
    """``help`` says what it looks for, ``breaks`` who suffers: the docstring's two lines."""

    code: str
    severity: Severity
    check: Check
    help: str
    breaks: str
    at_end: bool = False
    """About something that lacks, which nobody can say while the response still arrives."""
    when: str | None = None
    """A trait without which it has nothing to say, so that most are not even asked."""
    is_last: bool = False
    """It tells of the other findings, too."""


def rule(
    code: str,
    severity: Severity,
    *,
    at_end: bool = False,
    when: str | None = None,
    is_last: bool = False,
) -> Callable[[Check], Check]:
    """Make a function a rule. Codes are ``area.kebab-case``, never renamed, only retired."""

    def mark(check: Check) -> Check:
        lines = [line.strip() for line in (check.__doc__ or "").splitlines() if line.strip()]
        help_, breaks = (*lines, "", "")[:2]
        trait = None if when is None else str(when)
        made = Rule(code, severity, check, help_, breaks, at_end, trait, is_last)
        check.rule = made  # type: ignore[attr-defined]
        return check

    return mark


def read_choices(facts: Facts) -> tuple[Choice, ...]:
    """The choices of a format of which choices are read."""
    return facts.choices if facts.is_read else ()


def in_choice(facts: Facts, choice: Choice, name: str) -> Where:
    """A field of a choice, in the completion."""
    return Where(pointer=f"{facts.pointer_of(choice.index)}/{name}")


_TYPE_WORDS: dict[type, str] = {
    bool: "true or false",
    dict: "an object",
    list: "a list",
    str: "a text",
    type(None): "null",
}


def type_word(value: Json) -> str:
    """The JSON type of a value as a message names it: ``a number``, ``a list``."""
    return _TYPE_WORDS.get(type(value), "a number")


def times(count: int) -> str:
    """How often, for the end of a sentence; nothing where it was once."""
    return "" if count <= 1 else f" ({count:,} times, this is the first)"
