"""Rules of a team, and what they overwrote in an exchange, stored and shown with it."""

from enum import StrEnum

import msgspec

from inspector.core.credentials.removal import added_marks


class MaskKind(StrEnum):
    """A rule is a preset, a word of the team's own, or a path into JSON."""

    PRESET = "preset"
    WORD = "word"
    PATH = "path"


class Preset(StrEnum):
    EMAIL = "email"
    CARD = "card"
    IBAN = "iban"
    PHONE = "phone"
    KEY = "key"


class MaskRule(msgspec.Struct, frozen=True):
    """``text``: the name of a preset, a word, or a path. ``id`` tells rules of one team apart."""

    id: int
    kind: MaskKind
    text: str


class AppliedRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule that overwrote something. A word is never told to whoever sees the mark."""

    id: int
    kind: MaskKind
    name: str | None = None
    """The preset or the path; null for a word."""
    places: int


class Redaction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How many passages rules of the team overwrote, by place; None where nothing was found."""

    rules: tuple[AppliedRule, ...]
    request_body: int = 0
    """Number of passages; the next two likewise."""
    response_body: int = 0
    elsewhere: int = 0
    """In header values, the address and metadata."""
    decoded_from: str | None = None
    """The content coding that was undone in order to overwrite the body."""
    coding_fault: str | None = None
    """Why the content coding could not be undone completely; the rest of the body is not kept."""
    request_body_was: str | None = None
    """Keyed hash of the original body's SHA-256; ``response_body_was`` likewise."""
    response_body_was: str | None = None

    @property
    def total(self) -> int:
        return self.request_body + self.response_body + self.elsewhere


def combined_redaction(before: Redaction | None, now: Redaction | None) -> Redaction | None:
    """Return the mark of two redactions of one exchange; of hashes the first, the original's."""
    if before is None or now is None:
        return before or now
    rules = {(each.id, each.kind, each.name): each for each in before.rules}
    for each in now.rules:
        key = (each.id, each.kind, each.name)
        places = each.places + (rules[key].places if key in rules else 0)
        rules[key] = msgspec.structs.replace(each, places=places)
    return added_marks(before, now, rules=tuple(rules.values()))
