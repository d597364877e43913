"""Bodies about minimising a capture."""

from __future__ import annotations

import msgspec

from api.schemas.addresses import capture_url, page_url
from inspector.archive.background.minimisation_status import MinimisationStatus
from inspector.archive.member_types import Url


class MinimisationRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The finding to minimise for: its code and, if several have the same, its pointer."""

    code: str
    pointer: str | None = None


class MinimisationDetail(MinimisationStatus, frozen=True, kw_only=True):
    """How far minimising a capture for one finding is. `state` is `open`, `finished` or `failed`;
    `stage` is what is removed now. `url` and `page` are those of the smaller form, null until it
    is there.
    """

    url: Url | None
    page: Url | None


class MinimisationList(msgspec.Struct, frozen=True):
    """The minimisations of a capture: of each finding that one was requested for, the latest."""

    minimisations: tuple[MinimisationDetail, ...]


def minimisation_detail(status: MinimisationStatus) -> MinimisationDetail:
    made = status.result.capture if status.result else None
    return MinimisationDetail(
        **msgspec.structs.asdict(status),
        url=capture_url(made) if made else None,
        page=page_url(made) if made else None,
    )
