import logging

import pytest

from inspector import settings


def test_an_unexpected_error_is_printed_and_a_mistake_of_a_client_is_not() -> None:
    assert logging.getLogger("django.request").isEnabledFor(logging.ERROR)
    assert not logging.getLogger("django.request").isEnabledFor(logging.WARNING)
    assert not logging.getLogger("django.security.DisallowedHost").isEnabledFor(logging.ERROR)
    assert settings.LOGGING["root"] == {"handlers": ["stderr"], "level": "WARNING"}


def test_an_empty_variable_means_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_EXAMPLE", " ")
    assert settings.env_text("INSPECTOR_EXAMPLE", "usual") == "usual"
    monkeypatch.setenv("INSPECTOR_EXAMPLE", "a, b,")
    assert settings.env_list("INSPECTOR_EXAMPLE", []) == ["a", "b"]
