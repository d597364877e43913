"""An attribute that is computed when somebody first asks for it.

Half of reading a median stream is work done once an answer, so what is derived is derived once.
"""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class computed_once(Generic[T]):
    """Decorates a method that becomes such an attribute; its value is kept with the object.

    The object belongs to one thread. ``functools.cached_property`` of Python 3.11 would lock
    every first access against others, which took one twentieth of reading a short stream.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.__doc__ = compute.__doc__
        self._compute = compute
        self._name = compute.__name__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object | None, kind: type) -> Self | T:
        if owner is None:
            return self
        # From now on the value is found in the object itself, before this descriptor is asked.
        value = owner.__dict__[self._name] = self._compute(owner)
        return value
