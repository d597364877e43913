"""The list's filters as query parameters: known names, and values checked where they are known."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.utils import timezone

from api.moments import FORMS, moment_of
from api.parameters import Parameters, shown, wrong
from inspector.archive.filters import Filters
from inspector.archive.models import DELETED, State
from inspector.core.analysis import Verdict
from inspector.core.dialects import dialects
from inspector.core.findings import Severity
from inspector.core.rules import rules

MAX_VALUES = 20
VALUE_CHARACTERS = 200

ONCE = ("since", "until", "q")
MANY = (
    "state",
    "verdict",
    "model",
    "dialect",
    "vendor",
    "finish_reason",
    "finding",
    "tag",
    "key",
)


def filters_of(asked: Parameters) -> Filters:
    now = timezone.now()
    values = {name: _texts(asked, name) for name in MANY}
    return Filters(
        **values,
        since=_moment(asked, "since", now),
        until=_moment(asked, "until", now),
        q=_q(asked),
    )


def vocabulary(name: str) -> Collection[str] | None:
    """All values there are; None where senders and providers are free to make new ones."""
    known: dict[str, Collection[str]] = {
        "state": [state for state in State if state not in DELETED],
        "verdict": list(Verdict),
        "dialect": list(dialects()),
        "finding": [*Severity, *(rule.code for rule in rules())],
    }
    return known.get(name)


def _texts(asked: Parameters, name: str) -> tuple[str, ...]:
    values = asked.many(name)
    if len(values) > MAX_VALUES:
        raise wrong(name, f"stands more than {MAX_VALUES} times")
    known = vocabulary(name)
    for value in values:
        _check(name, value)
        if known is not None and value not in known:
            raise wrong(name, f"has no value {shown(value)}; there are {', '.join(known)}")
    return values


def _q(asked: Parameters) -> str:
    text = asked.one("q")
    if text is None:
        return ""
    _check("q", text)
    return text


def _check(name: str, value: str) -> None:
    if not value or len(value) > VALUE_CHARACTERS:
        raise wrong(name, f"has 1 to {VALUE_CHARACTERS} characters")
    # PostgreSQL can neither store nor compare it.
    if "\0" in value:
        raise wrong(name, "holds a NUL, which no text here does")


def _moment(asked: Parameters, name: str, now: datetime) -> datetime | None:
    text = asked.one(name)
    if text is None:
        return None
    moment = moment_of(text, now)
    if moment is None:
        raise wrong(name, f"is not {FORMS}")
    return moment
