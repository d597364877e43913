"""Values made of others that name most of their fields alike."""

from typing import Any, TypeVar

import msgspec

Made = TypeVar("Made", bound=msgspec.Struct)


def struct_of(kind: type[Made], source: object, /, **others: Any) -> Made:
    """Return a struct with these fields, and all others as ``source`` has them."""
    names = (name for name in kind.__struct_fields__ if name not in others)
    return kind(**{name: getattr(source, name) for name in names}, **others)
