"""Whole records out of a spool file's bytes that come piece by piece."""

from __future__ import annotations

from inspector.proxy.recorder.call_spool import CallRecord, whole_records


class RecordStream:
    def __init__(self) -> None:
        self.end = 0
        """Where in the file what was fed ends."""
        self._rest = b""

    def feed(self, data: bytes) -> list[CallRecord]:
        self.end += len(data)
        records, used = whole_records(self._rest + data)
        self._rest = (self._rest + data)[used:]
        return records
