"""Bodies of the service description, of the health checks, and of every error."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from inspector.archive.member_types import Count, Url
from inspector.archive.status.readiness import Backlog


class ErrorDetail(msgspec.Struct, frozen=True, kw_only=True):
    """The reason of a refusal: `code` for programs, `message` for people."""

    code: str
    message: str
    request_id: str
    status_code: int | UnsetType = UNSET
    """Only in errors of the vote endpoints, whose clients read it there."""


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every error."""

    error: ErrorDetail


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of this installation. A rate of 0 means that there is no limit."""

    batch_bytes: Count
    batch_lines: Count
    body_bytes: Count
    envelope_depth: Count
    envelope_digits: Count
    envelope_headers: Count
    envelope_tokens: Count
    metadata_bytes: Count
    note_characters: Count
    page_rows: Count
    requests_per_second: Count
    comment_characters: Count
    feedback_token_seconds: Count
    tag_characters: Count
    tags: Count
    vote_bytes: Count
    votes_per_second: Count
    wait_bytes: Count
    wait_seconds: Count


class Versions(msgspec.Struct, frozen=True):
    """Versions of the API, of the analysis and of the product."""

    api: str
    analysis: Count
    product: str


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """Addresses of the main endpoints, and the content type of an exchange envelope. `proxy` is
    what the addresses of captured calls begin with; null where no proxy runs.
    """

    captures: Url
    batch: Url
    schema: Url
    docs: Url
    inspect: Url
    feedback: Url
    vote: Url
    envelope: str
    proxy: Url | None


class ServiceDescription(msgspec.Struct, frozen=True, kw_only=True):
    """Limits, versions, list filters and links. `filters` names the allowed values of each filter
    of the capture list; null stands for any text.
    """

    limits: Limits
    versions: Versions
    filters: dict[str, tuple[str, ...] | None]
    links: Links


class Liveness(msgspec.Struct, frozen=True):
    """Sent by a process that answers requests."""

    alive: bool


class Readiness(msgspec.Struct, frozen=True):
    """Whether a capture could be stored now. `totals` is added for callers with the operator's
    key.
    """

    ready: bool
    checks: dict[str, Literal["yes", "no"]]
    totals: Backlog | UnsetType = UNSET
