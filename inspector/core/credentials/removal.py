"""What was taken out of an exchange, counted: kept with the evidence and shown beside it."""

from __future__ import annotations

import msgspec

VERSION = 1
"""Of the cleaner. What an older one let in is cleaned again by the command for it."""


class Removal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts of places. 0: nothing was found; no removal at all: nobody looked."""

    version: int
    request_headers: int = 0
    """Headers whose value was removed as a whole or in part; so below."""
    response_headers: int = 0
    address: int = 0
    metadata: int = 0
    request_body: int = 0
    """Passages that were overwritten; so below."""
    response_body: int = 0
    decoded_from: str | None = None
    """The coding that the body came in: overwritten it could not be decoded any more."""
    coding_fault: str | None = None
    """Why the coding could not be undone to its end; what would have come behind is not kept."""
    request_body_was: str | None = None
    """Keyed hash of the SHA-256 of the body as it came; so below."""
    response_body_was: str | None = None

    @property
    def total(self) -> int:
        return self.in_passing + self.request_body + self.response_body

    @property
    def in_passing(self) -> int:
        """Outside of bodies."""
        return self.request_headers + self.response_headers + self.address + self.metadata
