"""Ends a process whose work takes too long."""

import faulthandler
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings

Result = TypeVar("Result")

STDERR = 2


def in_time(work: Callable[[], Result]) -> Result:
    """End this process with a traceback where the work takes ``TASK_TIME_LIMIT_SECONDS``, even
    inside an endless instruction. The attempt was counted before, and the supervisor starts the
    process again.
    """
    faulthandler.dump_traceback_later(settings.TASK_TIME_LIMIT_SECONDS, exit=True, file=STDERR)
    try:
        return work()
    finally:
        faulthandler.cancel_dump_traceback_later()
