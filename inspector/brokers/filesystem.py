"""Kombu's filesystem transport, safe against reading a message that is only partly written.

It writes its files in place: a worker that looks between the opening and the writing takes an
empty message, and ends. And a table that a kill left half written keeps every worker from
starting. Nothing here is worth keeping, so what cannot be read is thrown away.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

SCHEME = "folder"
# Raised by kombu for a partial or foreign message; unhandled, they would end the worker.
MALFORMED_MESSAGE_ERRORS = (AttributeError, KeyError, TypeError, ValueError)

_LOGGER = logging.getLogger(__name__)


@contextmanager
def skip_malformed() -> Iterator[None]:
    """Skips a malformed message, which is removed from the queue by then, by raising ``Empty``."""
    try:
        yield
    except MALFORMED_MESSAGE_ERRORS as error:
        _LOGGER.warning("threw away what is no message: %s", type(error).__name__)
        raise Empty from error


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        # The reader goes by the order of the names, and by their ending.
        name = f"{time.time_ns():020}_{uuid4().hex}"
        part = Path(self.data_folder_out) / f"{name}.part"
        part.write_text(dumps(payload))
        # Atomic within a folder: a reader sees the whole message or none.
        os.rename(part, part.with_name(f"{name}.{queue}.msg"))

    def _get_and_deliver(self, queue: str, callback: Any) -> None:
        with skip_malformed():
            super()._get_and_deliver(queue, callback)

    def get_table(self, exchange: str) -> list[Any]:
        try:
            return list(super().get_table(exchange))
        except ValueError:
            return []

    def _queue_bind(self, exchange: str, *binding: Any) -> None:
        try:
            super()._queue_bind(exchange, *binding)
        except ValueError:
            # A table that a kill left half written: bound anew from what is bound now.
            (Path(self.control_folder) / f"{exchange}.exchange").unlink(missing_ok=True)
            super()._queue_bind(exchange, *binding)


class Transport(filesystem.Transport):
    Channel = Channel


def register() -> None:
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:{Transport.__name__}"
