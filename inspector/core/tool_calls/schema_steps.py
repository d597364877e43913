"""How far a reading follows schemas from outside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_STEPS = 50_000
"""Of one reading. A step is one keyword of a schema, or one entry of what it looks at."""


class StepsExhausted(Exception):
    """All steps of this reading are taken."""


class _Steps:
    def __init__(self) -> None:
        self.left = MAX_STEPS


_steps: ContextVar[_Steps] = ContextVar("schema_steps")


@contextmanager
def counted_steps() -> Iterator[None]:
    """Inside it, all steps are counted together."""
    token = _steps.set(_Steps())
    try:
        yield
    finally:
        _steps.reset(token)


def step(*looked_at: object) -> None:
    """Take one step, and one for each entry of what is looked at.

    Raises:
        StepsExhausted: there are no more of them.
    """
    steps = _steps.get()
    steps.left -= 1 + sum(len(each) for each in looked_at if isinstance(each, dict | list | str))
    if steps.left < 0:
        raise StepsExhausted
