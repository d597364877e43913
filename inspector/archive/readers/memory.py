"""Limits the memory for work on one capture, so that a payload cannot exhaust the machine's."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread

_STATM = "/proc/self/statm"
_HAS_STATM = Path(_STATM).exists()
_PAGE_BYTES = resource.getpagesize()
_MIB = 1024 * 1024


@contextmanager
def limited_memory(more_bytes: int) -> Iterator[None]:
    """Raise a ``MemoryError`` that names the bound where the work wants more than it has already.

    Nothing is bounded beside other threads' work, nor where the system does not tell sizes.
    """
    if current_thread() is not main_thread() or not _HAS_STATM:
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


def resident_bytes() -> int:
    """Resident memory of this process; 0 where the system does not report it."""
    return _pages(1) * _PAGE_BYTES if _HAS_STATM else 0


def _taken_bytes() -> int:
    return _pages(0) * _PAGE_BYTES


def _pages(which: int) -> int:
    # Asked for every capture, and so without the layers of a file object.
    descriptor = os.open(_STATM, os.O_RDONLY)
    try:
        return int(os.read(descriptor, 100).split()[which])
    finally:
        os.close(descriptor)


def _least(wanted: int, soft: int) -> int:
    return wanted if soft == resource.RLIM_INFINITY else min(wanted, soft)
