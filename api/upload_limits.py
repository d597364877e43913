"""Limits on taking an upload apart in web: bytes of its key, and time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from api.api_error import ApiError
from inspector.archive.readers.on_demand import charge_read_bytes
from inspector.teams.access import Principal
from inspector.web.deadline import DeadlineExceeded, interrupt_after, processor_clock


@contextmanager
def parsing(principal: Principal, size: int) -> Iterator[None]:
    """Count decoded bytes before they are parsed and ends what takes too long. Raises
    ``ReadingError`` where the key is over its rate, ``ApiError`` 413 after ``PARSE_SECONDS``.
    """
    charge_read_bytes(principal.asker, size)
    with parsing_time():
        yield


@contextmanager
def parsing_time() -> Iterator[None]:
    try:
        with interrupt_after(settings.PARSE_SECONDS, processor_clock()):
            yield
    except DeadlineExceeded as error:
        message = (
            f"this takes over {settings.PARSE_SECONDS} seconds to take apart (PARSE_SECONDS):"
            " send it in smaller parts, or a file by the command"
        )
        raise ApiError(413, "too_long_to_parse", message) from error


class ParsingTime:
    """How long the parts of one upload take to take apart, each of them and all together."""

    def __init__(self) -> None:
        self._spent = 0.0

    @property
    def is_spent(self) -> bool:
        """Told by the processor's time: a batch may come as slowly as its sender likes."""
        return self._spent > settings.PARSE_SECONDS

    @contextmanager
    def of_one_part(self) -> Iterator[None]:
        began = time.thread_time()
        try:
            with parsing_time():
                yield
        finally:
            self._spent += time.thread_time() - began
