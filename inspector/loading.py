"""Imports of a program, which make what it keeps."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Look for no garbage among what is imported within the block, then or later: that would be a
    sixth of a start, and the collector writes into all that it looks at, which forks share until
    then.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
