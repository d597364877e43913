import logging

from inspector import settings


def test_an_unexpected_error_is_printed_and_a_mistake_of_a_client_is_not() -> None:
    assert logging.getLogger("django.request").isEnabledFor(logging.ERROR)
    assert not logging.getLogger("django.request").isEnabledFor(logging.WARNING)
    assert not logging.getLogger("django.security.DisallowedHost").isEnabledFor(logging.ERROR)
    assert settings.LOGGING["root"] == {"handlers": ["stderr"], "level": "WARNING"}
