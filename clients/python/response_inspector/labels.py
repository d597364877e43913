"""Statements of a program about its calls: tags and metadata, valid where its code is running."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

MAX_TAGS = 32
TAG_CHARACTERS = 64


@dataclass(frozen=True)
class Labels:
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def plus(self, tags: Iterable[str], metadata: Mapping[str, Any]) -> Labels:
        """Later metadata replaces what was said before under the same name."""
        return Labels(tuple(dict.fromkeys((*self.tags, *tags))), {**self.metadata, **metadata})


_NONE = Labels()
_current: ContextVar[Labels] = ContextVar("response_inspector_labels", default=_NONE)


def current_labels() -> Labels:
    return _current.get()


@contextmanager
def tagged(*tags: str, **metadata: Any) -> Iterator[None]:
    """Call that begin inside have these tags and metadata, in this thread or task and in the
    tasks that it begins.

    ``session``, ``trace`` and ``user`` lead to the captures that belong together.
    """
    token = _current.set(_current.get().plus(tags, metadata))
    try:
        yield
    finally:
        # An async generator may be ended in another context than it was begun in; what was said
        # ends with that one.
        with suppress(ValueError):
            _current.reset(token)


def bounded_tags(tags: Iterable[object]) -> list[str]:
    """As the API takes them: it refuses a capture with too many, or with one too long."""
    cut = (str(tag)[:TAG_CHARACTERS] for tag in tags)
    return list(dict.fromkeys(tag for tag in cut if tag))[:MAX_TAGS]
