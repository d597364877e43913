"""Saved views: lists of captures under a name, of one person or of their team.

A team's view is seen by the team; anybody else's own view is treated as missing. Who may tag
captures may save views and change those they see.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qsl, unquote_plus, urlencode

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone

from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.models import SavedView
from inspector.database.column_text import clean_text
from inspector.teams.access import INGEST, READ, Principal
from inspector.teams.names import actor_name

NAME_CHARACTERS = 60
"""A tab above the list; the width of the column."""
QUERY_CHARACTERS = 8_000
"""As long as nginx takes an address."""
MAX_VIEWS = 100
"""Views of one team, and of one person in a team."""


@dataclass(frozen=True, slots=True)
class ViewNameTaken:
    """The team, or this person, has another view of this name."""


@dataclass(frozen=True, slots=True)
class TooManyViews:
    limit: int = MAX_VIEWS


ViewRefusal = ViewNameTaken | TooManyViews


@dataclass(frozen=True, slots=True)
class ViewEntry:
    """A saved view as somebody sees it. ``conditions``: its query as this release reads it."""

    id: int
    name: str
    query: str
    layout: str
    is_team: bool
    made_by: str
    created_at: datetime
    conditions: FilterParams

    @property
    def address(self) -> str:
        """The query string of the list that it opens."""
        layout = urlencode(parse_qsl(self.layout, keep_blank_values=True))
        return "&".join(filter(None, (self.query, layout)))

    @property
    def text(self) -> str:
        """The query as a person writes it; one that cannot be read as it was saved."""
        return unquote_plus(self.query) if self.problem else self.conditions.text

    @property
    def layout_words(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in parse_qsl(self.layout))

    @property
    def problem(self) -> str:
        """Why the query cannot be read as it was saved; empty where it can."""
        mistake = next(iter(self.conditions.mistakes), None)
        return f"{mistake.name} {mistake.what}" if mistake else ""


def for_principal(principal: Principal) -> SavedViews:
    """Return the views that a principal of one team sees."""
    return SavedViews(principal)


@dataclass(frozen=True, slots=True)
class SavedViews:
    principal: Principal

    def all(self) -> tuple[ViewEntry, ...]:
        """Their own, then the team's; each by name."""
        now = timezone.now()
        found = [_entry(view, now) for view in self._visible()]
        return tuple(sorted(found, key=lambda each: (each.is_team, each.name.casefold(), each.id)))

    def get(self, number: int) -> ViewEntry | None:
        found = self._visible().filter(pk=number).first()
        return _entry(found, timezone.now()) if found else None

    def save(
        self, name: str, query: str, layout: str = "", *, is_team: bool
    ) -> ViewEntry | ViewRefusal | None:
        """Save a view of the principal's one team. None where they may not."""
        # A key is nobody, so that it has no views of its own.
        if is_team != (self._owner(is_team) is None) or not self._may_change:
            return None
        [team_id] = self.principal.team_ids(READ)
        view = SavedView(
            team_id=team_id,
            user_id=self._owner(is_team),
            name=clean_text(name.strip(), NAME_CHARACTERS),
            query=query,
            layout=layout,
            made_by=actor_name(self.principal),
            created_at=timezone.now(),
        )
        if SavedView.objects.filter(team=team_id, user=view.user_id).count() >= MAX_VIEWS:
            return TooManyViews()
        return self._stored(view)

    def rename(self, number: int, name: str) -> ViewEntry | ViewRefusal | None:
        view = self._changeable(number)
        if view is None:
            return None
        view.name = clean_text(name.strip(), NAME_CHARACTERS)
        return self._stored(view)

    def share(self, number: int) -> ViewEntry | ViewRefusal | None:
        """Make a view of one's own the team's."""
        view = self._changeable(number)
        if view is None:
            return None
        if SavedView.objects.filter(team=view.team_id, user=None).count() >= MAX_VIEWS:
            return TooManyViews()
        view.user_id = None
        return self._stored(view)

    def delete(self, number: int) -> bool:
        view = self._changeable(number)
        return view is not None and bool(view.delete()[0])

    def _visible(self) -> QuerySet[SavedView]:
        mine_or_theirs = Q(user=None)
        if self.principal.user_id is not None:
            mine_or_theirs |= Q(user=self.principal.user_id)
        return SavedView.objects.filter(mine_or_theirs, team__in=self.principal.team_ids(READ))

    def _changeable(self, number: int) -> SavedView | None:
        return self._visible().filter(pk=number).first() if self._may_change else None

    @property
    def _may_change(self) -> bool:
        return self.principal.may(READ) and self.principal.may(INGEST)

    def _owner(self, is_team: bool) -> int | None:
        return None if is_team else self.principal.user_id

    def _stored(self, view: SavedView) -> ViewEntry | ViewNameTaken:
        try:
            with transaction.atomic():
                view.save()
        except IntegrityError:
            # A unique constraint decides which of two saves of one name is first.
            return ViewNameTaken()
        return _entry(view, timezone.now())


def _entry(view: SavedView, now: datetime) -> ViewEntry:
    values = dict(QueryDict(view.query).lists())
    return ViewEntry(
        id=view.pk,
        name=view.name,
        query=view.query,
        layout=view.layout,
        is_team=view.user_id is None,
        made_by=view.made_by,
        created_at=view.created_at,
        conditions=parse_filter_params(values, now),
    )
