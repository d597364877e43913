"""Tells all apps what happens to captures, inside the transaction in which it happens.

An app answers in its module ``subscriber``, by plain functions with the names of the events; it
leaves out those that change nothing of its own. ``INSTALLED_APPS`` is the list of apps. Its order
is that of their locks, and so the same in every process; none needs what another did.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from inspector.archive.inspection.projection import ProjectionRows
from inspector.archive.models import Capture


class ProjectionChange(NamedTuple):
    """The projection of one capture before and after it was stored."""

    before: ProjectionRows | None
    """None at the first inspection."""
    after: ProjectionRows


class Ended(NamedTuple):
    """Counts of what ended with captures, for receipts: votes, exports' files, links."""

    feedback_votes: int = 0
    exports: int = 0
    shares: int = 0


def inspected(changes: Sequence[ProjectionChange]) -> None:
    """Tell that captures were read, for the first time or again."""
    for answer in _answers("inspected"):
        answer(changes)


def noted(captures: Sequence[Capture]) -> None:
    """Somebody changed the note."""
    for answer in _answers("noted"):
        answer(captures)


def rewritten(captures: Sequence[Capture]) -> Ended:
    """Evidence was overwritten; where it had been read, ``inspected`` was told before."""
    return _ended("rewritten", captures)


def body_deleted(captures: Sequence[Capture]) -> Ended:
    """Tell that the bytes are gone; what was read of them stays."""
    return _ended("body_deleted", captures)


def deleted(captures: Sequence[Capture]) -> Ended:
    """All of it is gone. The rows are those of before."""
    return _ended("deleted", captures)


def prepare() -> None:
    """Do what takes long at the first ``inspected``, before the transaction."""
    for answer in _answers("prepare"):
        answer()


@cache
def subscribers() -> tuple[ModuleType, ...]:
    return tuple(
        import_module(f"{config.name}.subscriber")
        for config in apps.get_app_configs()
        if module_has_submodule(config.module, "subscriber")
    )


def _answers(event: str) -> Iterator[Callable[..., Any]]:
    return (getattr(each, event) for each in subscribers() if hasattr(each, event))


def _ended(event: str, captures: Sequence[Capture]) -> Ended:
    ended = [answer(captures) or Ended() for answer in _answers(event)]
    return Ended(*map(sum, zip(Ended(), *ended, strict=True)))
