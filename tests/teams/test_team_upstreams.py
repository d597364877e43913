"""Upstreams as administrators make, change and remove them."""

from dataclasses import replace
from ipaddress import ip_network

import pytest
from django.conf import LazySettings

from inspector.teams.models import AuditEntry, Upstream
from inspector.teams.team_upstreams import (
    TeamUpstream,
    TeamUpstreams,
    UpstreamRefusal,
    UpstreamTerms,
    for_principal,
)
from inspector.teams.upstream_presets import PRESETS, ClientStyle
from tests.people import Person

pytestmark = pytest.mark.both_stacks

TERMS = UpstreamTerms(base_url="https://llm.example/api", sites="", sample_percent=100)


def door_of(person: Person) -> TeamUpstreams:
    return for_principal(person.principal)


def found(person: Person, name: str) -> TeamUpstream:
    (upstream,) = [each for each in door_of(person).all() if each.name == name]
    return upstream


def names(person: Person) -> list[str]:
    return [each.name for each in door_of(person).all()]


def acts(person: Person) -> list[tuple[str, str, str]]:
    entries = AuditEntry.objects.filter(team=person.team, act__startswith="upstream")
    return list(entries.order_by("pk").values_list("by", "act", "on"))


def test_a_team_sees_presets_and_its_own(owner: Person, teammate: Person, stranger: Person) -> None:
    assert door_of(owner).add("ours", "https://llm.example/api") is None

    assert names(owner) == names(teammate) == ["ours", *PRESETS]
    assert names(stranger) == list(PRESETS)


def test_who_added_an_upstream_stands_beside_it_and_in_the_audit_log(owner: Person) -> None:
    door_of(owner).add("ours", "HTTPS://LLM.example:443/api/")

    upstream = found(owner, "ours")

    assert (upstream.base_url, upstream.made_by) == ("https://llm.example/api", "user olga")
    assert (upstream.is_local, upstream.is_preset, upstream.is_disabled) == (False, False, False)
    assert acts(owner) == [("user olga", "upstream_added", "ours: https://llm.example/api")]


@pytest.mark.parametrize(
    "name", ["", "Ours", "o rs", "o/rs", "ri_x", "o_rs", "-o", "o-", "ö", "o\0", "a" * 41, "o\n"]
)
def test_a_name_that_cannot_stand_in_an_address_is_refused(owner: Person, name: str) -> None:
    refusal = door_of(owner).add(name, "https://llm.example")

    assert isinstance(refusal, UpstreamRefusal) and refusal.field == "name"
    assert not Upstream.objects.exists() and acts(owner) == []


@pytest.mark.parametrize("name", ["openai", "ours"])
def test_a_name_that_is_taken_is_refused(owner: Person, name: str) -> None:
    door_of(owner).add("ours", "https://llm.example")

    refusal = door_of(owner).add(name, "https://other.example")

    assert isinstance(refusal, UpstreamRefusal) and refusal.field == "name"
    assert Upstream.objects.get().base_url == "https://llm.example"


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:11434", "http://llm.example", "https://10.0.0.1", "https://a@b.c"]
)
def test_an_address_that_is_not_public_is_refused(owner: Person, address: str) -> None:
    refusal = door_of(owner).add("ours", address)

    assert isinstance(refusal, UpstreamRefusal) and refusal.field == "address"
    assert not Upstream.objects.exists()


def test_a_network_that_is_listed_is_accepted(owner: Person, settings: LazySettings) -> None:
    settings.PROXY_NETWORKS = (ip_network("10.1.0.0/16"),)

    assert door_of(owner).add("vllm", "http://10.1.2.3:8000") is None
    assert door_of(owner).add("other", "http://10.2.2.3:8000") is not None


def test_a_resource_gets_the_address_and_the_paths_of_its_template(owner: Person) -> None:
    assert door_of(owner).add_resource("azure", "contoso") is None

    upstream = found(owner, "azure-contoso")

    assert upstream.base_url == "https://contoso.openai.azure.com"
    assert (upstream.client_path, upstream.style) == ("/openai/v1", ClientStyle.OPENAI)


@pytest.mark.parametrize("resource", ["", "evil.example/", "a.b", "CON", "a" * 63])
def test_a_resource_that_cannot_be_is_refused(owner: Person, resource: str) -> None:
    refusal = door_of(owner).add_resource("azure", resource)

    assert isinstance(refusal, UpstreamRefusal) and refusal.field == "resource"
    assert not Upstream.objects.exists()


def test_a_preset_is_turned_off_and_on_for_one_team(owner: Person, stranger: Person) -> None:
    door_of(owner).turn("openai", is_on=False)
    assert found(owner, "openai").is_disabled and not found(stranger, "openai").is_disabled

    door_of(owner).turn("openai", is_on=False)
    door_of(owner).turn("openai", is_on=True)

    assert not found(owner, "openai").is_disabled
    assert [act for _, act, _ in acts(owner)] == ["upstream_turned_off", "upstream_turned_on"]


def test_terms_of_a_preset_change_and_its_address_does_not(owner: Person) -> None:
    terms = UpstreamTerms("https://evil.example", "https://App.example/ https://b.example", 5, True)

    assert door_of(owner).change("openai", terms) is None

    upstream = found(owner, "openai")
    assert upstream.base_url == "https://api.openai.com"
    assert upstream.sites == ("https://app.example", "https://b.example")
    assert (upstream.sample_percent, upstream.keeps_other) == (5, True)
    assert acts(owner) == [("user olga", "upstream_changed", "openai: https://api.openai.com")]


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        (replace(TERMS, base_url="https://127.0.0.1"), "address"),
        (replace(TERMS, sites="app.example"), "sites"),
        (replace(TERMS, sites="https://app.example/path"), "sites"),
        (replace(TERMS, sites="https://a.example " * 21), "sites"),
        (replace(TERMS, sample_percent=101), "sample_percent"),
        (replace(TERMS, sample_percent=-1), "sample_percent"),
    ],
)
def test_impossible_terms_change_nothing(owner: Person, terms: UpstreamTerms, field: str) -> None:
    door_of(owner).add("ours", "https://llm.example/api")
    before = found(owner, "ours")

    refusal = door_of(owner).change("ours", terms)

    assert isinstance(refusal, UpstreamRefusal) and refusal.field == field
    assert found(owner, "ours") == before


def test_a_refused_change_of_a_preset_leaves_it_as_it_is(owner: Person) -> None:
    door_of(owner).change("openai", replace(TERMS, sample_percent=101))

    assert not Upstream.objects.exists() and found(owner, "openai").made_by is None


def test_what_the_owner_of_the_machine_allowed_holds_for_that_address_only(owner: Person) -> None:
    door_of(owner).add("ollama", "http://127.0.0.1:11434", is_local=True)
    kept = UpstreamTerms("http://127.0.0.1:11434", "", 50)
    assert door_of(owner).change("ollama", kept) is None
    assert found(owner, "ollama").is_local

    other = door_of(owner).change("ollama", replace(kept, base_url="http://127.0.0.1:22"))
    assert isinstance(other, UpstreamRefusal)

    assert door_of(owner).change("ollama", replace(kept, base_url="https://llm.example")) is None
    assert not found(owner, "ollama").is_local


def test_an_upstream_is_removed_and_a_preset_is_not(owner: Person, stranger: Person) -> None:
    door_of(owner).add("ours", "https://llm.example")
    door_of(stranger).add("ours", "https://theirs.example")
    door_of(owner).turn("openai", is_on=False)

    door_of(owner).remove("ours")

    assert "ours" not in names(owner) and "ours" in names(stranger)
    for name in ("ours", "openai", "anthropic", "nobody's"):
        with pytest.raises(LookupError):
            door_of(owner).remove(name)
    assert found(owner, "openai").is_disabled


@pytest.mark.parametrize("name", ["theirs", "nothing", ""])
def test_an_upstream_of_others_is_missing(owner: Person, stranger: Person, name: str) -> None:
    door_of(stranger).add("theirs", "https://theirs.example")

    with pytest.raises(LookupError):
        door_of(owner).change(name, TERMS)
    with pytest.raises(LookupError):
        door_of(owner).turn(name, is_on=False)


def test_a_teams_upstreams_are_bounded(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.teams.team_upstreams.MAX_UPSTREAMS", 1)
    door_of(owner).turn("openai", is_on=False)

    assert door_of(owner).add("a", "https://a.example") is None
    assert door_of(owner).add("b", "https://b.example") is not None


@pytest.mark.parametrize(
    ("address", "client_path"), [("https://llm.example", "/v1"), ("https://llm.example/api/v1", "")]
)
def test_clients_are_shown_v1_without_a_path(owner: Person, address: str, client_path: str) -> None:
    door_of(owner).add("ours", address)

    assert found(owner, "ours").client_path == client_path
