"""Makes lines of JSON of what a program's libraries print, warn of, or leave uncaught."""

import io
import logging
import sys
import threading
from types import TracebackType
from typing import TextIO

from inspector.logs.line_format import LineFormatter, line_of

BEGINNING = '{"at": '
"""Beginning of lines that are what they should be."""
_LOGGER = logging.getLogger(__name__)


class LineStream(io.TextIOBase):
    """In place of standard output or error."""

    def __init__(self, stream: TextIO, program: str) -> None:
        self._stream = stream
        self._program = program
        self._begun = threading.local()

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError("text alone is written here")
        *whole, rest = (getattr(self._begun, "text", "") + text).split("\n")
        self._begun.text = rest
        if lines := [self._line(each) for each in whole if each.strip()]:
            self._stream.write("".join(f"{each}\n" for each in lines))
            self._stream.flush()
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._stream.errors

    def _line(self, text: str) -> str:
        is_one = text.startswith(BEGINNING)
        return text if is_one else line_of(self._program, "info", text.strip(), logger="output")


def write_lines_only(program: str) -> None:
    """To standard error, for the rest of this process; whoever configures logging later may do
    so. Standard output is left: there a command has its answer.
    """
    if isinstance(sys.stderr, LineStream):
        return
    sys.stderr = LineStream(sys.stderr, program)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(program))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = lambda left: _uncaught(left.exc_type, left.exc_value, left.exc_traceback)


def _uncaught(
    kind: type[BaseException], error: BaseException | None, place: TracebackType | None
) -> None:
    if error is not None and not issubclass(kind, KeyboardInterrupt | SystemExit):
        _LOGGER.critical("ended by an error", exc_info=(kind, error, place))
