"""A rule: a function from ``RuleContext`` to remarks, with a code and a severity."""

from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec import UNSET

from inspector.core.completion import BlockKind, Choice
from inspector.core.findings import Severity, Where
from inspector.core.formats import DEFAULT_FAMILY
from inspector.core.formats.places import CHAT_CHOICE
from inspector.core.rule_context import RuleContext

Remark = tuple[str, Where]
"""The message, and the place it is about."""
CHAT_FAMILY = frozenset({DEFAULT_FAMILY})
"""Chat completions and the formats that share their table."""
Check = Callable[[RuleContext], Iterable[Remark]]


class Rule(msgspec.Struct, frozen=True):
    """A rule. ``help`` and ``impact`` are the two lines of its docstring: what it looks for, and
    what breaks because of it. A third line is the impact where it stands in an event of a stream.
    """

    code: str
    severity: Severity
    check: Check
    help: str
    impact: str
    impact_in_stream: str = ""
    at_end: bool = False
    """Not run while the response is still arriving, because it is about something missing."""
    when: frozenset[str] = frozenset()
    """Traits of which a response must have one for the rule to find anything; empty: any response.
    """
    is_last: bool = False
    """Runs after all other rules, because it reports on their findings."""
    formats: frozenset[str] | None = None
    """The formats it speaks of: slugs of dialects, or of the one whose table a family shares. None:
    all.
    """


def rule(
    code: str,
    severity: Severity,
    *,
    at_end: bool = False,
    when: str | tuple[str, ...] = (),
    is_last: bool = False,
    formats: frozenset[str] | None = None,
) -> Callable[[Check], Check]:
    """Make a function a rule. Codes are ``area.kebab-case``; they are never renamed, only
    retired.
    """
    traits = frozenset(map(str, (when,) if isinstance(when, str) else when))

    def mark(check: Check) -> Check:
        lines = [line.strip() for line in (check.__doc__ or "").splitlines() if line.strip()]
        help_, impact, in_stream = (*lines, "", "", "")[:3]
        made = Rule(
            code, severity, check, help_, impact, in_stream, at_end, traits, is_last, formats
        )
        check.rule = made  # type: ignore[attr-defined]
        return check

    return mark


def read_choices(context: RuleContext) -> tuple[Choice, ...]:
    """The choices of an answer; none of an error object."""
    return context.choices if context.is_answer else ()


def in_choice(context: RuleContext, choice: Choice, name: str) -> Where:
    """The place of a choice's field in the completion."""
    return Where(pointer=f"{context.pointer_of(choice.index)}/{name}")


def at_last_byte(context: RuleContext) -> Where:
    return Where(byte_start=max(context.body_bytes - 1, 0), byte_end=context.body_bytes)


def at_content(context: RuleContext, choice: Choice) -> Where:
    """The place of the choice's text in the completion: its field, or the first part with text."""
    if context.places.choice == CHAT_CHOICE:
        return in_choice(context, choice, "message/content")
    texts = (block.pointer for block in choice.blocks if block.kind is BlockKind.TEXT)
    found = next(texts, UNSET)
    return Where(pointer=context.pointer_of(choice.index) if found is UNSET else found)


def at_finish(context: RuleContext, choice: Choice) -> Where:
    """The place of the choice's finish reason in the completion."""
    return Where(pointer=context.finish_pointer_of(choice.index))


FILTER_RESULTS = "/content_filter_results"
"""Where a choice has what a content filter found in it (Azure)."""


def times(count: int) -> str:
    """Words for the end of a message: how often something occurred, "" for once."""
    return "" if count <= 1 else f" ({count:,} times, this is the first)"


def listing(words: Sequence[str], last: str) -> str:
    """Join words for a message: ``a, b or c``."""
    *others, end = words
    return f"{', '.join(others)} {last} {end}" if others else end
