"""One JSON object a line, of any program and its libraries, with nothing in it that a client sent:
an error's type and traceback instead of its message, which may quote a payload.
"""

import json
import logging
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

MESSAGE_CHARACTERS = 500
"""Characters of our own words: no library's message takes a screen."""
FRAMES = 20
"""The innermost ones: an endless recursion has a thousand."""


def fields(**values: Any) -> dict[str, Any]:
    """Return the ``extra`` of a logging call: ``extra=fields(captures=3)``."""
    return {"fields": values}


def line_of(program: str, level: str, event: str, at: datetime | None = None, **more: Any) -> str:
    """JSON escapes newlines and terminal control characters."""
    line = {
        "at": (at or datetime.now(UTC)).isoformat(timespec="milliseconds"),
        "level": level,
        "program": program,
        "event": event[:MESSAGE_CHARACTERS],
        **more,
    }
    return json.dumps(line, ensure_ascii=True, default=lambda value: type(value).__name__)


class LineFormatter(logging.Formatter):
    about_machines: tuple[type[BaseException], ...] = (OSError,)
    """Errors whose messages speak of hosts, files and locks."""

    def __init__(self, program: str) -> None:
        super().__init__()
        self._program = program

    def format(self, record: logging.LogRecord) -> str:
        return line_of(
            self._program,
            record.levelname.lower(),
            self.event_of(record),
            datetime.fromtimestamp(record.created, UTC),
            logger=record.name,
            **self.fields_of(record),
        )

    def event_of(self, record: logging.LogRecord) -> str:
        return record.getMessage()

    def fields_of(self, record: logging.LogRecord) -> dict[str, Any]:
        about = dict(getattr(record, "fields", {}))
        if record.exc_info and record.exc_info[1]:
            about["error"] = list(self._error_chain(record.exc_info[1]))
        return about

    def _error_chain(self, error: BaseException) -> Iterator[dict[str, Any]]:
        """Yield an error and what it came from, the outermost first."""
        seen: set[int] = set()
        one: BaseException | None = error
        while one is not None and id(one) not in seen:
            seen.add(id(one))
            entry: dict[str, Any] = {"type": f"{type(one).__module__}.{type(one).__qualname__}"}
            if isinstance(one, self.about_machines):
                entry["message"] = str(one)[:MESSAGE_CHARACTERS]
            entry["through"] = _frames(one)
            yield entry
            one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _frames(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
