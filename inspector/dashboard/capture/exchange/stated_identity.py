"""The identity that the response states, as sent, beside the request's parameters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice
from inspector.core.fields.identity import created_at
from inspector.core.formats import DEFAULT_FAMILY, dialects, family_of
from inspector.core.json import Json
from inspector.core.json.pointer import value_at
from inspector.dashboard.capture.page.answer_pointers import answer_pointer
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.text.folded_text import FoldedText, TextFolder
from inspector.formatting.humanize import moment
from inspector.formatting.wire_values import NOT_SENT, json_text, wire_word

MAX_ROLES = 20
"""One line; equal ones in a row are told together."""
NOT_KNOWN = "request not known"
BATCH_ID = "custom_id"
"""Member with the name that a request has in its batch."""


class IdentityRow(NamedTuple):
    """``field`` is our name, ``name`` the format's. ``is_word``: text in place of a value."""

    field: str
    name: str
    text: str
    is_word: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """``is_word`` marks a word such as "not sent" in place of a value."""

    name: str
    value: FoldedText
    is_word: bool
    note: str = ""
    absence: str = ""
    """``NOT_SENT`` or ``NOT_KNOWN``; empty where something was sent."""


def stated_identity(view: CaptureView, folder: TextFolder) -> tuple[StatedValue, ...]:
    if view.analysis is None:
        return ()
    return tuple(
        StatedValue(row.name, folder.fold(row.text), row.is_word, row.note, absence(row.text))
        for row in identity_rows(view, view.analysis)
    )


def absence(text: str) -> str:
    return text if text in (NOT_SENT, NOT_KNOWN) else ""


def identity_rows(view: CaptureView, analysis: Analysis) -> Iterator[IdentityRow]:
    """Yield the identity that a completion states: its format's fields, and others that
    were sent.
    """
    has = fields_of(analysis)
    for row in (*named_rows(analysis), *request_rows(view, analysis)):
        if has is None or row.field in has or not absence(row.text):
            yield row


def fields_of(analysis: Analysis) -> frozenset[str] | None:
    """Our names of the fields that a format has; None for chat completions and unknown formats,
    of which every field is shown.
    """
    dialect = dialects().get(analysis.dialect or "")
    if dialect is None or family_of(dialect) == DEFAULT_FAMILY:
        return None
    names = {"role", *(name for name, sent in dialect.identity.items() if sent)}
    fields = dialect.top_fields | dialect.usage.beside
    return frozenset(names | fields | ({"object"} if "type" in fields else set()))


def named_rows(analysis: Analysis) -> Iterator[IdentityRow]:
    identity = analysis.identity
    names = spellings_of(analysis)
    yield IdentityRow("id", names.get("id", "id"), *sent_text(identity.id))
    yield from batch_rows(analysis)
    yield object_row(analysis)
    created = identity.created
    yield IdentityRow(
        "created", names.get("created", "created"), *sent_text(created), created_note(created)
    )
    yield IdentityRow("role", "role", roles_text(analysis.choices, NOT_SENT), False)
    yield IdentityRow(
        "system_fingerprint", "system_fingerprint", *sent_text(identity.system_fingerprint)
    )


def spellings_of(analysis: Analysis) -> Mapping[str, str]:
    """How the format spells our names, where it does otherwise."""
    dialect = dialects().get(analysis.dialect or "")
    return dialect.identity if dialect else {}


def object_row(analysis: Analysis) -> IdentityRow:
    """``object``, or ``type`` in formats that name their objects so."""
    answer, has = value_at(analysis.completion, answer_pointer(analysis)), fields_of(analysis)
    if has is None or "type" not in has or not isinstance(answer, dict):
        return IdentityRow("object", "object", *sent_text(analysis.identity.object))
    return IdentityRow("object", "type", *sent_text(answer.get("type", UNSET)))


def batch_rows(analysis: Analysis) -> Iterator[IdentityRow]:
    """Yield the name that the request has in its batch, beside what came of it."""
    name = value_at(analysis.completion, f"/{BATCH_ID}")
    if name is not UNSET:
        yield IdentityRow(BATCH_ID, BATCH_ID, *sent_text(name))


def request_rows(view: CaptureView, analysis: Analysis) -> Iterator[IdentityRow]:
    """Return the parameters of the request, and the tier that was used."""
    used = analysis.service_tier.used if analysis.service_tier else UNSET
    yield IdentityRow("seed", "seed asked for", *request_text(view, "seed"))
    yield IdentityRow("service_tier", "service_tier", *sent_text(used))
    yield IdentityRow("service_tier", "service_tier asked for", *request_text(view, "service_tier"))


def sent_text(value: Json) -> tuple[str, bool]:
    """Return the value as text, and whether that is a word in its place."""
    if value is UNSET:
        return NOT_SENT, True
    if value is None or value == "":
        return wire_word(value), True
    return (value if isinstance(value, str) else json_text(value)), False


def request_text(view: CaptureView, name: str) -> tuple[str, bool]:
    body = view.request_body
    if body is None:
        return NOT_KNOWN, True
    return sent_text(body.get(name, UNSET))


def created_note(created: Json) -> str:
    """Return the moment in UTC, or why there is none; "" if nothing was sent."""
    if created is UNSET or created is None:
        return ""
    at = created_at(created)
    if at is not None:
        return moment(at)
    is_number = created.__class__ in (int, float)
    return "no date: in seconds beyond the calendar" if is_number else "no date: not a number"


def roles_text(choices: tuple[Choice, ...], absent: str) -> str:
    """``assistant``, or the roles by choice where they differ."""
    roles = [role_word(choice, absent) for choice in choices[:MAX_ROLES]]
    runs = [role for role, _ in groupby(roles)]
    if len(runs) < 2 and len(choices) <= MAX_ROLES:
        return runs[0] if runs else absent
    named = zip(choices, roles, strict=False)
    more = ["…"] if len(choices) > MAX_ROLES else []
    return ", ".join([*(f"choice {choice.index}: {role}" for choice, role in named), *more])


def role_word(choice: Choice, absent: str) -> str:
    """Return the role as sent; what is no text stands in the extras of the choice."""
    sent = choice.extras.get("/message/role", choice.role)
    return absent if sent is UNSET else wire_word(sent)
