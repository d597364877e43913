"""Limits the work that one reading spends on schemas from outside."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_STEPS = 50_000
"""Per reading. A step is one keyword of a schema, or one entry of what it is applied to."""


class StepsExhausted(Exception):
    """The reading has taken all its steps."""


class _Steps:
    def __init__(self) -> None:
        self.left = MAX_STEPS


_steps: ContextVar[_Steps] = ContextVar("schema_steps")


@contextmanager
def counted_steps() -> Iterator[None]:
    """Count all steps taken inside the ``with`` block together."""
    token = _steps.set(_Steps())
    try:
        yield
    finally:
        _steps.reset(token)


def take_step(*looked_at: object) -> None:
    """Take one step, and one for each entry of the arguments. Raises ``StepsExhausted``."""
    steps = _steps.get()
    steps.left -= 1 + sum(len(each) for each in looked_at if isinstance(each, dict | list | str))
    if steps.left < 0:
        raise StepsExhausted
