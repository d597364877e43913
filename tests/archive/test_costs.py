"""Which app keeps the costs of captures is told by that app as it starts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.exceptions import ImproperlyConfigured

from inspector.archive.listing import cost_lookup
from inspector.usage.cost.capture_filters import COSTS


def test_usage_is_registered_as_django_starts() -> None:
    assert cost_lookup.cost_filters() is COSTS
    cost_lookup.register(COSTS)
    assert cost_lookup.cost_filters() is COSTS


def test_a_second_app_is_refused_and_none_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured, match="two apps"):
        cost_lookup.register(replace(COSTS, row="other"))
    assert cost_lookup.cost_filters() is COSTS
    monkeypatch.setattr(cost_lookup, "_registered", [])
    with pytest.raises(ImproperlyConfigured, match="no app"):
        cost_lookup.cost_filters()
