"""Fields of costs are registered by the app that keeps them as it starts."""

from dataclasses import replace

import pytest
from django.core.exceptions import ImproperlyConfigured

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.usage.cost.capture_fields import COST, COST_FIELDS


def test_usage_is_registered_as_django_starts() -> None:
    assert [CAPTURE_FIELDS.find(each.name) for each in COST_FIELDS] == [*COST_FIELDS]
    CAPTURE_FIELDS.register(*COST_FIELDS)


def test_a_second_field_of_a_name_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="two fields are named cost"):
        CAPTURE_FIELDS.register(replace(COST, label="other"))
    assert CAPTURE_FIELDS.find("cost") is COST
