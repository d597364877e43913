"""Password checks in addition to Django's validators."""

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError

OWN_CHARACTERS = 6
"""Beside the name. Django's own check compares the whole: it takes "fix1fix1" for "fix1"."""


class NotMadeOfNameValidator:
    """Refuses ``fix1fix1`` for ``fix1``: what is left without the name must be worth guessing."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        name = user.get_username().casefold() if user else ""
        spelled = password.casefold()
        if name and name in spelled and len(spelled.replace(name, "")) < OWN_CHARACTERS:
            raise ValidationError("The password is little more than the name.", "made_of_name")

    def get_help_text(self) -> str:
        return "Your password can’t be little more than your name."
