"""The list's filters as query parameters: the first mistake in them ends the request."""

from __future__ import annotations

from django.utils import timezone

from api.query_params import QueryParams, invalid_parameter
from inspector.archive.listing.filter_params import FILTER_NAMES, parse_filter_params
from inspector.archive.listing.filters import Filters


def capture_filters_of(asked: QueryParams) -> Filters:
    values = {name: asked.many(name) for name in FILTER_NAMES}
    found = parse_filter_params(values, timezone.now())
    for mistake in found.mistakes:
        raise invalid_parameter(mistake.name, mistake.what)
    return found.filters
