"""Tells captures' events to a test instead of the apps."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.archive import events


def tell_only(monkeypatch: pytest.MonkeyPatch, **answers: Callable[..., Any]) -> None:
    monkeypatch.setattr(events, "subscribers", lambda: (SimpleNamespace(**answers),))
