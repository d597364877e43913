"""The conditions on captures whose texts hold words, registered by the app with their index."""

from collections.abc import Iterable
from typing import Protocol

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q


class TextIndex(Protocol):
    """Finds captures by words: in any order, or as a phrase."""

    def holds_text(
        self, text: str, team_ids: Iterable[int], *, is_phrase: bool = False, of_each: bool = False
    ) -> Q:
        """Condition on captures of these teams that hold a text. ``of_each``: the database asks it
        of each row of a list, instead of finding all captures that hold the text before.
        """
        ...

    def is_common(self, text: str, *, is_phrase: bool = False) -> bool:
        """Tell whether so many captures may hold the text that a page of the newest ones is found
        sooner by looking through these.
        """
        ...


_registered: list[TextIndex] = []


def register(index: TextIndex) -> None:
    """Raise ``ImproperlyConfigured`` for a second one."""
    if _registered not in ([], [index]):
        raise ImproperlyConfigured("two apps search the texts of captures")
    _registered[:] = [index]


def text_index() -> TextIndex:
    """Raise ``ImproperlyConfigured`` if no app keeps an index of texts."""
    if not _registered:
        raise ImproperlyConfigured("no app searches the texts of captures")
    return _registered[0]
