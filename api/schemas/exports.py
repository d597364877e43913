"""Bodies of exports."""

from typing import Literal

import msgspec

from inspector.transfer.exports.exports import ExportStatus

ExportFormat = Literal["jsonl", "csv", "har", "zip"]


class ExportRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Requests an export of all captures that the filters in the query match."""

    format: ExportFormat = "jsonl"


class ExportList(msgspec.Struct, frozen=True):
    """Newest first."""

    exports: tuple[ExportStatus, ...]
