"""Memory for the work on one capture: its bytes are somebody else's, the machine is everybody's."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread

_STATM = Path("/proc/self/statm")
_MIB = 1024 * 1024


@contextmanager
def bounded(more_bytes: int) -> Iterator[None]:
    """Raises a ``MemoryError`` that names the bound where the work wants more than it has already.

    Nothing is bounded beside other threads' work, nor where the system does not tell sizes.
    """
    if current_thread() is not main_thread() or not _STATM.exists():
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_least(_taken_bytes() + more_bytes, soft), hard))
    try:
        yield
    except MemoryError as error:
        raise MemoryError(f"it takes more than {more_bytes // _MIB:,} MiB of memory") from error
    finally:
        # Before anybody deals with the error: that takes memory too.
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _taken_bytes() -> int:
    return int(_STATM.read_text().split()[0]) * resource.getpagesize()


def _least(wanted: int, soft: int) -> int:
    return wanted if soft == resource.RLIM_INFINITY else min(wanted, soft)
