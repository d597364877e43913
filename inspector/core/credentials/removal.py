"""The counts of credentials removed from an exchange, stored and shown with it."""

import msgspec

VERSION = 3
"""Version of the cleaner. A management command cleans again what an older version stored."""


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
    if before is None:
        return now
    counts = ("request_headers", "response_headers", "address", "metadata")
    bodies = ("request_body", "response_body")
    stated = ("decoded_from", "coding_fault", "request_body_was", "response_body_was")
    return Removal(
        version=now.version,
        **{name: getattr(before, name) + getattr(now, name) for name in (*counts, *bodies)},
        **{name: getattr(before, name) or getattr(now, name) for name in stated},
    )
