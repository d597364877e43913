"""Bodies made of values that name most of their fields alike."""

from typing import Any, TypeVar

import msgspec

Body = TypeVar("Body", bound=msgspec.Struct)


def body_of(kind: type[Body], source: object, **others: Any) -> Body:
    """Return a body with these fields, and all others as ``source`` has them."""
    names = (name for name in kind.__struct_fields__ if name not in others)
    return kind(**{name: getattr(source, name) for name in names}, **others)
