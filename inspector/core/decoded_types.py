"""The types that msgspec decodes into.

What it knows of a type it builds at the type's first use, and shows it to other threads half built,
who then read where nothing is: the process ends by a segmentation fault. So whoever names a type to
it builds the type first, one thread at a time.
"""

from threading import Lock
from typing import TypeVar

import msgspec

T = TypeVar("T")

_built = set[object]()
# One for all types: they share the types of their members.
_building = Lock()


def built(kind: T) -> T:
    """Return the type, of which msgspec knows everything from now on."""
    if kind not in _built:
        with _building:
            msgspec.msgpack.Decoder(kind)
            _built.add(kind)
    return kind
