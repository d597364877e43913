"""The condition on captures whose texts hold words, registered by the app that keeps an index of
them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q


class TextLookup(Protocol):
    """Condition on captures of these teams that hold a text: its words in any order, or as a
    phrase.
    """

    def __call__(self, text: str, team_ids: Iterable[int], *, is_phrase: bool = False) -> Q: ...


_registered: list[TextLookup] = []


def register(found: TextLookup) -> None:
    """Raises ``ImproperlyConfigured`` for a second one."""
    if _registered not in ([], [found]):
        raise ImproperlyConfigured("two apps search the texts of captures")
    _registered[:] = [found]


def text_condition(text: str, team_ids: Iterable[int], *, is_phrase: bool = False) -> Q:
    """The condition on captures that hold the text.

    Raises ``ImproperlyConfigured`` if no app keeps an index of texts.
    """
    if not _registered:
        raise ImproperlyConfigured("no app searches the texts of captures")
    return _registered[0](text, team_ids, is_phrase=is_phrase)
