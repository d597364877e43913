"""The counts of credentials removed from an exchange, stored and shown with it."""

from typing import Any, TypeVar

import msgspec

VERSION = 3
"""Version of the cleaner. A management command cleans again what an older version stored."""


Mark = TypeVar("Mark", bound=msgspec.Struct)


class Removal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How many credentials were removed, by place: 0 for none; without this nobody looked."""

    version: int
    request_headers: int = 0
    """Headers whose value was removed, entirely or in part; ``response_headers`` likewise."""
    response_headers: int = 0
    address: int = 0
    metadata: int = 0
    request_body: int = 0
    """Number of passages that were masked; ``response_body`` likewise."""
    response_body: int = 0
    decoded_from: str | None = None
    """The content coding that was undone in order to mask the body."""
    coding_fault: str | None = None
    """Why the content coding could not be undone completely; the rest of the body is not kept."""
    request_body_was: str | None = None
    """Keyed hash of the original body's SHA-256; ``response_body_was`` likewise."""
    response_body_was: str | None = None

    @property
    def total(self) -> int:
        return self.in_passing + self.request_body + self.response_body

    @property
    def in_passing(self) -> int:
        """Number of removals outside of bodies."""
        return self.request_headers + self.response_headers + self.address + self.metadata


def combined(before: Removal | None, now: Removal) -> Removal:
    """Return the removals of two cleanings of one exchange; the later may have found nothing."""
    return now if before is None else added_marks(before, now, version=now.version)


def added_marks(before: Mark, now: Mark, **own: Any) -> Mark:
    """Return a mark of both: counts added up; of all else the first, which is the original's."""

    def of_both(name: str) -> Any:
        one, other = getattr(before, name), getattr(now, name)
        return one + other if isinstance(one, int) else one or other

    return type(now)(
        **own, **{name: of_both(name) for name in now.__struct_fields__ if name not in own}
    )
