"""What the response states about itself, as sent, beside what the request asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, Json
from inspector.core.identity import created_at
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.text.folded_text import FoldedText, TextFolder
from inspector.formatting.humanize import moment
from inspector.formatting.wire_values import absent_word, json_text, wire_word

MOST_ROLES = 20


@dataclass(frozen=True, slots=True)
class StatedValue:
    """``is_word`` marks a word such as "not sent" in place of a value."""

    name: str
    value: FoldedText
    is_word: bool
    note: str = ""


def stated_identity(view: CaptureView, folder: TextFolder) -> tuple[StatedValue, ...]:
    if view.analysis is None:
        return ()
    return tuple(
        StatedValue(name, folder.fold(text), is_word, note)
        for name, text, is_word, note in identity_rows(view, view.analysis)
    )


def identity_rows(view: CaptureView, analysis: Analysis) -> Iterator[tuple[str, str, bool, str]]:
    """Yields name, text, whether the text is a word in place of a value, and a note."""
    identity, absent = analysis.identity, absent_word(analysis.dialect)
    yield "id", *sent_text(identity.id, absent), ""
    yield "object", *sent_text(identity.object, absent), ""
    created = identity.created
    yield "created", *sent_text(created, absent), created_note(created)
    yield "role", roles_text(analysis.choices, absent), False, ""
    yield "system_fingerprint", *sent_text(identity.system_fingerprint, absent), ""
    yield "seed asked for", *asked_text(view, "seed"), ""
    used = analysis.service_tier.used if analysis.service_tier else UNSET
    yield "service_tier", *sent_text(used, absent), ""
    yield "service_tier asked for", *asked_text(view, "service_tier"), ""


def sent_text(value: Json, absent: str) -> tuple[str, bool]:
    if value is UNSET:
        return absent, True
    if value is None or value == "":
        return wire_word(value), True
    return (value if isinstance(value, str) else json_text(value)), False


def asked_text(view: CaptureView, name: str) -> tuple[str, bool]:
    body = view.request_body
    if body is None:
        return "request not known", True
    return sent_text(body.get(name, UNSET), "not sent")


def created_note(created: Json) -> str:
    """The moment in UTC, or why there is none; "" if nothing was sent."""
    if created is UNSET or created is None:
        return ""
    at = created_at(created)
    if at is not None:
        return moment(at)
    is_number = created.__class__ in (int, float)
    return "no date: in seconds beyond the calendar" if is_number else "no date: not a number"


def roles_text(choices: tuple[Choice, ...], absent: str) -> str:
    """``assistant``, or the roles by choice where they differ."""
    roles = [role_word(choice, absent) for choice in choices[:MOST_ROLES]]
    runs = [role for role, _ in groupby(roles)]
    if len(runs) < 2 and len(choices) <= MOST_ROLES:
        return runs[0] if runs else absent
    named = zip(choices, roles, strict=False)
    more = ["…"] if len(choices) > MOST_ROLES else []
    return ", ".join([*(f"choice {choice.index}: {role}" for choice, role in named), *more])


def role_word(choice: Choice, absent: str) -> str:
    """The role as sent; what is no text stands in the extras of the choice."""
    sent = choice.extras.get("/message/role", choice.role)
    return absent if sent is UNSET else wire_word(sent)
