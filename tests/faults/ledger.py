"""The sender's own account, on disk: what was sent, and what the archive said to it."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any


@dataclass(slots=True)
class Entry:
    """One body under its idempotency key."""

    key: str
    sha256: str
    poison: bool
    id: str | None = None
    """As it was acknowledged; None: nobody promised to have it."""


class Ledger:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self.acknowledged = 0

    def sent(self, key: str, body: bytes, poison: bool = False) -> None:
        sha256 = hashlib.sha256(body).hexdigest()
        self._write({"key": key, "sha256": sha256, "poison": poison})

    def acknowledge(self, key: str, capture_id: str) -> None:
        self._write({"key": key, "id": capture_id})
        with self._lock:
            self.acknowledged += 1

    def entries(self) -> dict[str, Entry]:
        """Read back from the disk, by key. A key with two ids is an error of the archive."""
        found: dict[str, Entry] = {}
        for line in self._path.read_text().splitlines():
            said = json.loads(line)
            if "sha256" in said:
                found[said["key"]] = Entry(**said)
            else:
                entry = found[said["key"]]
                assert entry.id in (None, said["id"]), f"{entry} is {said['id']} too"
                entry.id = said["id"]
        return found

    def _write(self, said: dict[str, Any]) -> None:
        with self._lock, self._path.open("a") as file:
            file.write(json.dumps(said) + "\n")
