"""The one door to captures: whoever reads or lists them comes through ``for_principal``.

Lists never touch evidence or documents: every column of a row is narrow.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inspector.core.analysis import Analysis


@dataclass(frozen=True, slots=True)
class CaptureRow:
    """One line of the archive. None: not inspected yet, or not known; see ``*_sent``."""

    id: UUID
    received_at: datetime
    state: str
    byte_length: int
    tags: tuple[str, ...]
    verdict: str | None
    dialect: str | None
    vendor: str | None
    model: str | None
    streamed: bool | None
    choice_count: int | None
    finish_reasons: tuple[str, ...]
    """One per choice in order, "none" where a choice has none."""
    usage_reported: bool | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: str | None
    clock: str | None
    first_byte_us: int | None
    first_reasoning_us: int | None
    first_content_us: int | None
    first_tool_call_us: int | None
    first_token_us: int | None
    duration_us: int | None
    stall_start_us: int | None
    stall_end_us: int | None
    """The longest stall, where there is one."""
    error_count: int
    warning_count: int
    info_count: int


@dataclass(frozen=True, slots=True)
class CaptureList:
    """One page of the archive, newest first; ``older`` is the cursor of the next page."""

    rows: tuple[CaptureRow, ...]
    older: str | None
    newest: str | None
    """Cursor of the first row, to ask later for what came after it."""


@dataclass(frozen=True, slots=True)
class Account:
    """accepted = recording + received + processing + inspected + quarantined + deleted."""

    recording: int
    received: int
    processing: int
    inspected: int
    quarantined: int
    deleted: int

    @property
    def accepted(self) -> int:
        return (
            self.recording
            + self.received
            + self.processing
            + self.inspected
            + self.quarantined
            + self.deleted
        )


@dataclass(frozen=True, slots=True)
class CapturePage:
    """Everything the archive knows of one capture, without its bytes."""

    row: CaptureRow
    team_slug: str
    team_name: str
    content_type: str | None
    status_code: int | None
    sha256: str
    note: str
    source: str | None
    """Name of the API key that sent it, None where a command stored it."""
    request_method: str | None
    request_url: str | None
    request_model: str | None
    """The model that was asked for, where the request is known."""
    same_bytes_as: tuple[UUID, ...]
    """Other captures of this team with equal bytes, newest first, five at most."""
    newer: UUID | None
    older: UUID | None
    analysis: Analysis | None
    """The stored document (texts over 64 kB cut and marked); None until inspected."""
    quarantine_reason: str | None
