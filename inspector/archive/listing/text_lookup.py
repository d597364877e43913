"""The condition on captures whose texts hold words, registered by the app that keeps an index of
them.

Until one is registered, a text is a part of the model, the requested model or the provider's id.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q

from inspector.database import portability  # noqa: F401  the lookup that names are searched by

NAME_FIELDS = ("model", "request_model", "response_id")


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
    """The condition on captures that hold the text."""
    lookup = _registered[0] if _registered else _names_hold
    return lookup(text, team_ids, is_phrase=is_phrase)


def _names_hold(text: str, team_ids: Iterable[int], *, is_phrase: bool = False) -> Q:
    found = Q()
    for name in NAME_FIELDS:
        found |= Q(**{f"inspection__{name}__holds": text})
    return found
