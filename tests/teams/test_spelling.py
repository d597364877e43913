"""Who could be taken for another by a letter, or opened by their name."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from inspector.dashboard.forms import PersonForm
from inspector.teams.models import User
from inspector.teams.spelling import is_mixed

CYRILLIC_O = "\N{CYRILLIC SMALL LETTER O}"
GREEK_O = "\N{GREEK SMALL LETTER OMICRON}"


def test_letters_of_two_alphabets_make_no_name() -> None:
    mixed = [f"{CYRILLIC_O}wner", f"{GREEK_O}wner", f"olga@example.{CYRILLIC_O}rg"]
    fine = [
        "owner",
        "Ольга",
        "olga.2@example.org",
        "Ζωή",
        "田中taro",
        "ひらカタ漢字",
        "김a",
        "José",
        "7",
    ]
    assert [name for name in mixed if not is_mixed(name)] == []
    assert [name for name in fine if is_mixed(name)] == []


def test_the_form_says_so(db: None) -> None:
    form = PersonForm({"name": f"{CYRILLIC_O}wner"})
    assert form.errors == {"name": ["Letters of several scripts stand in this name; use one."]}
    assert PersonForm({"name": "owner"}).is_valid()


@pytest.mark.parametrize("password", ["fix1fix1", "FIX1fix1fix1", "1fix1fix12026"])
def test_a_password_is_not_made_of_the_name(password: str) -> None:
    with pytest.raises(ValidationError, match="little more than the name"):
        validate_password(password, User(username="fix1"))


def test_a_name_may_stand_in_a_long_password() -> None:
    validate_password("fix1 went to the river", User(username="fix1"))
