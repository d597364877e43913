"""Filters of the capture list, as a request has them."""

from collections.abc import Mapping, Sequence

from django.utils import timezone

from api.query_params import QueryParams, invalid_parameter
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.query.parsed_query import parameter_of


def capture_filters_of(params: QueryParams) -> Filters:
    """Return the list's filters; the first mistake in them ends the request."""
    values = {name: params.many(name) for name in CAPTURE_FIELDS.parameter_names()}
    return capture_conditions_of(values).filters


def capture_conditions_of(values: Mapping[str, Sequence[str]]) -> FilterParams:
    """Return the filters as parsed, of no other parameters; the first mistake ends the request."""
    found = parse_filter_params(values, timezone.now())
    for mistake in found.mistakes:
        raise invalid_parameter(*parameter_of(mistake, found.query))
    return found
