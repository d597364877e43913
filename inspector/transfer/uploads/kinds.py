"""Kinds of uploads that are cut into captures later: who may send one, and how it is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from inspector.teams.access import TELEMETRY
from inspector.transfer.telemetry.trace_requests import TraceEncoding, span_entries
from inspector.transfer.uploads.entries import UploadEntry


@dataclass(frozen=True, slots=True)
class UploadKind:
    """``entries`` of a body are those behind a number of them, the same in the same order whenever
    it is cut; each that is stored has an idempotency key. Raises ``BadDocument``.
    """

    scope: str
    entries: Callable[[bytes, int], Iterator[UploadEntry]]


KINDS: Mapping[str, UploadKind] = {
    encoding: UploadKind(TELEMETRY, partial(span_entries, encoding=encoding))
    for encoding in TraceEncoding
}
