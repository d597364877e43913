"""Who could be taken for another by a letter, or opened by their name."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from inspector.dashboard.people.forms import PersonForm
from inspector.teams.models import User
from inspector.teams.name_scripts import has_mixed_scripts

CYRILLIC_O = "\N{CYRILLIC SMALL LETTER O}"
GREEK_O = "\N{GREEK SMALL LETTER OMICRON}"

TAKEN = "This name is taken, or looks like one that is."


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
    assert [name for name in mixed if not has_mixed_scripts(name)] == []
    assert [name for name in fine if has_mixed_scripts(name)] == []


def test_the_form_says_so(db: None) -> None:
    form = PersonForm({"name": f"{CYRILLIC_O}wner"})
    assert form.errors == {"name": ["This name mixes letters of several scripts; use one."]}
    assert PersonForm({"name": "owner"}).is_valid()


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("coco", "сосо"),
        ("coco", "СОСО"),
        ("hope", "НОРЕ"),
        ("pax", "рах"),
        ("nova", "ηονα"),
        ("OXTE", "ΟΧΤΕ"),
        ("anna.k@example.org", "ɑnnɑ.k@example.org"),
        ("olga", "OLGA"),
        ("ольга", "ОЛЬГА"),
        ("рох", "ροχ"),
    ],
)
def test_a_name_that_looks_like_another_is_taken(db: None, name: str, other: str) -> None:
    person = User.objects.create_user(name)
    for form in (PersonForm({"name": other}), PersonForm({"name": other}, person=person)):
        is_own = form.person is not None
        assert form.errors.get("name", []) == ([] if is_own else [TAKEN])


@pytest.mark.parametrize(
    ("name", "other"), [("marn", "mam"), ("Вова", "boba"), ("jose", "josé"), ("olga1", "olga2")]
)
def test_a_name_that_looks_otherwise_is_free(db: None, name: str, other: str) -> None:
    User.objects.create_user(name)
    assert PersonForm({"name": other}).is_valid()


@pytest.mark.parametrize("password", ["fix1fix1", "FIX1fix1fix1", "1fix1fix12026"])
def test_a_password_is_not_made_of_the_name(password: str) -> None:
    with pytest.raises(ValidationError, match="little more than the name"):
        validate_password(password, User(username="fix1"))


def test_a_name_may_stand_in_a_long_password() -> None:
    validate_password("fix1 went to the river", User(username="fix1"))


@pytest.mark.parametrize("name", [f"{CYRILLIC_O}wner", f"{CYRILLIC_O}lga", "OLGA"])
def test_a_command_makes_no_such_owner(db: None, name: str) -> None:
    User.objects.create_user("olga")
    with pytest.raises(CommandError):
        call_command("create_owner", name)
    assert [user.username for user in User.objects.all()] == ["olga"]
