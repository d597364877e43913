"""Which app keeps the costs of captures is told by that app as it starts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.exceptions import ImproperlyConfigured

from inspector.archive import costs
from inspector.usage.narrowing import COSTS


def test_usage_is_registered_as_django_starts() -> None:
    assert costs.costs() is COSTS
    costs.register(COSTS)
    assert costs.costs() is COSTS


def test_a_second_app_is_refused_and_none_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured, match="two apps"):
        costs.register(replace(COSTS, row="other"))
    assert costs.costs() is COSTS
    monkeypatch.setattr(costs, "_registered", [])
    with pytest.raises(ImproperlyConfigured, match="no app"):
        costs.costs()
