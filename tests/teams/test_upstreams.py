"""Rights of a key at which upstream."""

from dataclasses import fields

import pytest
from django.utils import timezone

from inspector.proxy.messages import Grant, Refusal
from inspector.teams.keys import create_api_key, revoke
from inspector.teams.models import ApiKey, Upstream
from inspector.teams.secret import hash_of
from inspector.teams.upstream_presets import (
    PRESETS,
    TEMPLATES,
    base_url_of_resource,
)
from inspector.teams.upstreams import CaptureGrant, CaptureRefusal, find_grant
from inspector.web.public_address import read_base_url
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def capture_key(person: Person) -> str:
    return hash_of(create_api_key(person.team, "checkout", ["capture"]))


def test_a_grant_has_the_fields_that_the_proxy_is_told() -> None:
    told = [name for name in Grant.__struct_fields__ if name != "captures_url"]
    assert [field.name for field in fields(CaptureGrant)] == told
    assert {refusal.value for refusal in CaptureRefusal} <= {refusal.value for refusal in Refusal}


def test_a_preset_is_an_upstream_of_every_team(owner: Person) -> None:
    key = capture_key(owner)

    found = find_grant(key, "openai")

    assert found == CaptureGrant(
        team_id=owner.team.pk,
        key_id=ApiKey.objects.get(sha256=key).pk,
        upstream="openai",
        base_url="https://api.openai.com",
        is_local=False,
        sites=(),
        sample_percent=100,
        keeps_other=False,
        is_paused=False,
        max_streams=100,
        session="",
    )


def test_a_row_of_the_team_changes_a_preset_and_keeps_its_address(owner: Person) -> None:
    Upstream.objects.create(
        team=owner.team,
        name="openai",
        sites=["https://app.example"],
        sample_percent=10,
        keeps_other=True,
    )

    found = find_grant(capture_key(owner), "openai")

    assert isinstance(found, CaptureGrant)
    assert (found.base_url, found.sites) == ("https://api.openai.com", ("https://app.example",))
    assert (found.sample_percent, found.keeps_other) == (10, True)


def test_an_upstream_of_ones_own_is_found_by_its_name(owner: Person) -> None:
    Upstream.objects.create(
        team=owner.team, name="ollama", base_url="http://127.0.0.1:11434", is_local=True
    )

    found = find_grant(capture_key(owner), "ollama")

    assert isinstance(found, CaptureGrant)
    assert (found.base_url, found.is_local) == ("http://127.0.0.1:11434", True)


@pytest.mark.parametrize("name", ["OpenAI", "openai ", "", "nobody's", "o\0penai", "a" * 500])
def test_an_upstream_of_another_name_is_unknown(owner: Person, name: str) -> None:
    assert find_grant(capture_key(owner), name) is CaptureRefusal.UNKNOWN_UPSTREAM


def test_an_upstream_that_is_off_is_unknown(owner: Person) -> None:
    Upstream.objects.create(team=owner.team, name="openai", is_disabled=True)

    assert find_grant(capture_key(owner), "openai") is CaptureRefusal.UNKNOWN_UPSTREAM
    assert isinstance(find_grant(capture_key(owner), "anthropic"), CaptureGrant)


def test_another_teams_upstream_is_unknown(owner: Person, stranger: Person) -> None:
    Upstream.objects.create(team=owner.team, name="ours", base_url="https://llm.example")
    Upstream.objects.create(team=owner.team, name="openai", is_disabled=True)

    assert find_grant(capture_key(stranger), "ours") is CaptureRefusal.UNKNOWN_UPSTREAM
    assert isinstance(find_grant(capture_key(stranger), "openai"), CaptureGrant)


@pytest.mark.parametrize("scopes", [["ingest", "read"], ["delete"], []])
def test_a_key_of_other_scopes_may_not_capture(owner: Person, scopes: list[str]) -> None:
    key = hash_of(create_api_key(owner.team, "other", scopes))

    assert find_grant(key, "openai") is CaptureRefusal.KEY_MAY_NOT_CAPTURE


def test_a_key_that_nobody_has_is_unknown(owner: Person) -> None:
    assert find_grant(hash_of("ri_guessed"), "openai") is CaptureRefusal.UNKNOWN_KEY


def test_a_revoked_key_is_unknown_at_once(owner: Person) -> None:
    key = capture_key(owner)
    revoke(ApiKey.objects.get(sha256=key))

    assert find_grant(key, "openai") is CaptureRefusal.UNKNOWN_KEY


def test_an_expired_key_is_unknown(owner: Person) -> None:
    key = capture_key(owner)
    ApiKey.objects.filter(sha256=key).update(expires_at=timezone.now())

    assert find_grant(key, "openai") is CaptureRefusal.UNKNOWN_KEY


def test_a_paused_key_says_so_and_how_many_streams_it_may_open(owner: Person) -> None:
    key = capture_key(owner)
    ApiKey.objects.filter(sha256=key).update(paused_at=timezone.now(), max_streams=7)

    found = find_grant(key, "openai")

    assert isinstance(found, CaptureGrant)
    assert (found.is_paused, found.max_streams) == (True, 7)


def test_use_of_a_key_is_noted(owner: Person) -> None:
    key = capture_key(owner)
    assert ApiKey.objects.get(sha256=key).last_used_at is None

    find_grant(key, "openai")

    assert ApiKey.objects.get(sha256=key).last_used_at is not None


@pytest.mark.parametrize("name", PRESETS)
def test_a_presets_address_is_public_and_in_its_one_spelling(name: str) -> None:
    assert str(read_base_url(PRESETS[name].base_url)) == PRESETS[name].base_url


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_templates_address_is_public_whatever_resource_is_named(name: str) -> None:
    address = base_url_of_resource(TEMPLATES[name], "contoso-eu")

    assert address is not None and str(read_base_url(address)) == address


@pytest.mark.parametrize("resource", ["", "evil.example/", "a.b", "A", "a@b", "-a", "a" * 64, "é"])
def test_a_resource_is_one_part_of_a_host(resource: str) -> None:
    assert base_url_of_resource(TEMPLATES["azure"], resource) is None
