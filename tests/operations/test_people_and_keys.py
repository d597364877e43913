"""The commands that make owners, sign-in links and keys."""

from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import LazySettings
from django.core.management import CommandError, call_command, load_command_class
from django.core.management.base import CommandParser
from django.db import OperationalError
from django.utils import timezone

from inspector.teams import accounts
from inspector.teams.access import READ, for_key
from inspector.teams.models import ApiKey, Membership, Role, Upstream, User
from inspector.teams.secret import hash_of
from inspector.teams.sign_in_links import use_link
from inspector.teams.upstreams import CaptureGrant, find_grant
from tests.people import Person


def said(*command: Any) -> str:
    out = StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


def refusal_of(*command: Any) -> str:
    with pytest.raises(CommandError) as refused:
        said(*command)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_create_owner_makes_person_and_team(db: None) -> None:
    text = said("create_owner", "olga@example.org", "--team", "blue", "--team-name", "Blue")
    membership = Membership.objects.get()
    assert (membership.user.username, membership.team.slug) == ("olga@example.org", "blue")
    assert (membership.role, membership.team.name) == (Role.OWNER, "Blue")
    assert "sign_in_link olga@example.org" in text
    assert not User.objects.get().has_usable_password()


def test_the_commands_that_come_next_are_told_with_the_data_directory(
    db: None, settings: LazySettings
) -> None:
    settings.IS_EMBEDDED, settings.DATA_DIR = True, Path("/srv/data")
    elsewhere = "--data-dir /srv/data"
    assert f"create_owner NAME {elsewhere} makes one" in refusal_of("sign_in_link")
    text = said("create_owner", "olga m")
    assert f"python3 manage.py sign_in_link 'olga m' {elsewhere}," in text
    assert text.strip().endswith(f"python3 manage.py changepassword 'olga m' {elsewhere}")


@pytest.mark.parametrize(
    "arguments",
    [("",), (" ",), ("x" * 151,), ("olga", "--team", "no/slug"), ("olga", "--team", "")],
)
def test_create_owner_refuses_in_one_line(db: None, arguments: tuple[str, ...]) -> None:
    assert refusal_of("create_owner", *arguments)
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["оlga", "Olga", "olgа"])
def test_create_owner_refuses_a_name_that_looks_like_one_that_is_taken(
    owner: Person, name: str
) -> None:
    assert "looks like one that is" in refusal_of("create_owner", name)
    assert User.objects.get() == owner.user


def test_create_owner_refuses_a_name_in_several_scripts(db: None) -> None:
    assert "several scripts" in refusal_of("create_owner", "оwner")
    assert not User.objects.exists()


def test_create_owner_knows_a_person_by_a_name_in_wide_letters(owner: Person) -> None:
    said("create_owner", "ｏｌｇａ")
    assert User.objects.get() == owner.user


def test_sign_in_link_prints_an_address_that_works_once(owner: Person, teammate: Person) -> None:
    address = said("sign_in_link", "theo").strip()
    assert address.startswith("http://127.0.0.1:8000/sign-in/")
    token = address.split("/")[-2]
    assert use_link(token) == teammate.user
    assert use_link(token) is None


def test_sign_in_link_without_a_name_is_for_the_first_owner(
    teammate: Person, owner: Person, stranger: Person
) -> None:
    assert use_link(said("sign_in_link").strip().split("/")[-2]) == owner.user


def test_sign_in_link_tells_how_to_make_whoever_is_missing(db: None) -> None:
    assert "create_owner" in refusal_of("sign_in_link")
    assert "nobody is called x" in refusal_of("sign_in_link", "x")


def test_create_api_key_prints_only_the_key(owner: Person) -> None:
    text = said("create_api_key", "--team", "default", "--name", "ci")
    principal = for_key(text.strip())
    assert text == text.strip() + "\n"
    assert principal is not None and principal.key_id == ApiKey.objects.get(name="ci").pk
    assert ApiKey.objects.get(name="ci").scopes == ["ingest", "read"]


def test_create_api_key_says_where_its_archive_may_be() -> None:
    told = create_parser("create_api_key").format_help()
    assert "--data-dir DIRECTORY" in told and "--scope" in told


def create_parser(command: str) -> CommandParser:
    return load_command_class("inspector.operations", command).create_parser("manage.py", command)


def test_create_api_key_makes_keys_that_end(owner: Person) -> None:
    plain = said("create_api_key", "--team", "default", "--name", "e", "--expires", "30").strip()
    with time_machine.travel(timezone.now() + timedelta(days=29)):
        assert for_key(plain) is not None
    with time_machine.travel(timezone.now() + timedelta(days=31)):
        assert for_key(plain) is None


def test_create_api_key_gives_the_named_scopes_only(owner: Person) -> None:
    said("create_api_key", "--team", "default", "--name", "r", "--scope", READ)
    assert ApiKey.objects.get(name="r").scopes == ["read"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--team", "nowhere", "--name", "x"),
        ("--team", "default", "--name", ""),
        ("--team", "default", "--name", "x" * 101),
        ("--team", "default", "--name", "x", "--scope", "*"),
        ("--name", "x"),
        *(
            ("--team", "default", "--name", "x", "--expires", days)
            for days in ("0", "-1", "x", "3651", "1.5", "9" * 30)
        ),
    ],
)
def test_create_api_key_refuses_in_one_line(owner: Person, arguments: tuple[str, ...]) -> None:
    before = ApiKey.objects.count()
    assert refusal_of("create_api_key", *arguments)
    assert ApiKey.objects.count() == before


def test_a_machine_without_an_archive_is_told_how_to_make_one(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_table(**which: object) -> None:
        raise OperationalError("no such table: teams_team")

    monkeypatch.setattr(accounts.Team.objects, "filter", no_table)
    command = ("create_api_key", "--team", "default", "--name", "x")
    assert "manage.py up" in refusal_of(*command)


def test_create_api_key_makes_a_key_that_captures_and_does_nothing_else(owner: Person) -> None:
    key = said("create_api_key", "--team", "default", "--name", "shop", "--scope", "capture")
    assert isinstance(find_grant(hash_of(key.strip()), "openai"), CaptureGrant)
    mixed = ("--scope", "capture", "--scope", "read")
    assert "nothing else" in refusal_of(
        "create_api_key", "--team", "default", "--name", "both", *mixed
    )


def test_add_upstream_prints_where_programs_reach_it(owner: Person, settings: LazySettings) -> None:
    settings.PROXY_ORIGIN = "http://127.0.0.1:8001"
    text = said(
        "add_upstream", "--team", "default", "--name", "llm", "--url", "https://llm.example"
    )
    assert text == "http://127.0.0.1:8001/proxy/KEY/llm/v1\n"
    upstream = Upstream.objects.get()
    assert (upstream.name, upstream.is_local, upstream.made_by) == ("llm", False, "command")


def test_add_upstream_accepts_this_machine_on_the_embedded_stack(
    owner: Person, settings: LazySettings
) -> None:
    settings.IS_EMBEDDED = True
    said("add_upstream", "--team", "default", "--name", "o", "--url", "http://localhost:11434")
    assert Upstream.objects.get().is_local


def test_add_upstream_names_the_setting_that_opens_a_private_network(
    owner: Person, settings: LazySettings
) -> None:
    settings.IS_EMBEDDED = False
    told = refusal_of("add_upstream", "--team", "default", "--name", "o", "--url", "https://db")
    assert "INSPECTOR_PROXY_NETWORKS" in told
    assert not Upstream.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere", "llm", "https://llm.example"), "there is no team nowhere"),
        (("default", "openai", "https://llm.example"), "OpenAI has this name"),
        (("default", "llm", "http://169.254.169.254"), "metadata service"),
        (("default", "llm", "https://good@evil.example"), "without a user name"),
    ],
)
def test_add_upstream_refuses_in_one_line(
    owner: Person, settings: LazySettings, arguments: tuple[str, str, str], told: str
) -> None:
    settings.IS_EMBEDDED = True
    team, name, url = arguments
    assert told in refusal_of("add_upstream", "--team", team, "--name", name, "--url", url)
    assert not Upstream.objects.exists()
