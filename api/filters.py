"""The list's filters as query parameters: the first mistake in them ends the request."""

from __future__ import annotations

from django.utils import timezone

from api.parameters import Parameters, wrong
from inspector.archive.conditions import NAMES, conditions_of
from inspector.archive.filters import Filters


def filters_of(asked: Parameters) -> Filters:
    values = {name: asked.many(name) for name in NAMES}
    found = conditions_of(values, timezone.now())
    for mistake in found.mistakes:
        raise wrong(mistake.name, mistake.what)
    return found.filters
