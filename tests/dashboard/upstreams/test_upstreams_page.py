"""The page of a team's upstreams, as an owner, a teammate and a stranger have it."""

import re
from typing import Any

import pytest
from django.conf import LazySettings

from inspector.teams import team_upstreams
from inspector.teams.models import AuditEntry, Upstream
from inspector.teams.team_upstreams import TeamUpstreams
from tests.people import Person

PAGE = "/t/default/upstreams/"


@pytest.fixture(autouse=True)
def proxy(settings: LazySettings) -> None:
    settings.PROXY_ORIGIN = "https://inspector.example"


def door_of(person: Person) -> TeamUpstreams:
    return team_upstreams.for_principal(person.principal)


def shown(person: Person, query: str = "") -> str:
    return person.page(f"{PAGE}{query}")


def post(person: Person, path: str, **fields: Any) -> Any:
    return person.browser().post(f"{PAGE}{path}", fields)


def test_everybody_in_the_team_sees_where_it_may_call_and_what_to_paste(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    door_of(owner).add("llm", "https://llm.example")
    for person in (owner, teammate):
        page = shown(person)
        assert "https://llm.example" in page and "https://api.openai.com" in page
        assert "https://inspector.example/proxy/KEY/openai/v1" in page
        assert "https://inspector.example/proxy/KEY/anthropic<" in page
        assert "https://inspector.example/proxy/KEY/llm/v1" in page
    assert stranger.browser().get(PAGE).status_code == 404
    assert "llm.example" not in stranger.browser().get("/t/other/upstreams/").content.decode()


def test_only_who_may_manage_is_offered_changes(owner: Person, teammate: Person) -> None:
    for person, sees in ((owner, True), (teammate, False)):
        page = shown(person, "?change=openai")
        assert ("Add upstream" in page) is sees
        assert ("Turn off OpenAI" in page) is sees


def test_a_resource_of_a_provider_becomes_an_upstream(owner: Person) -> None:
    answer = post(owner, "add/resource/", template="azure", resource="contoso")
    assert answer["Location"] == PAGE
    assert "contoso" in Upstream.objects.get().base_url


def test_an_upstream_is_added_changed_turned_off_and_removed(owner: Person) -> None:
    post(owner, "add/", name="llm", address="https://LLM.example:443/api/")
    assert Upstream.objects.get().base_url == "https://llm.example/api"

    post(
        owner,
        "of/llm/",
        address="https://llm.example",
        sample_percent="5",
        sites="https://a.b",
        keeps_other="on",
    )
    row = Upstream.objects.get()
    assert (row.base_url, row.sample_percent, row.sites) == (
        "https://llm.example",
        5,
        ["https://a.b"],
    )
    assert row.keeps_other
    page = shown(owner)
    assert "other calls kept, too" in page
    assert "5 % of the calls kept" in page and "also from pages of https://a.b" in page

    post(owner, "of/llm/turn/", on="no")
    assert "llm <span" in shown(owner) and Upstream.objects.get().is_disabled
    post(owner, "of/llm/turn/", on="yes")
    assert not Upstream.objects.get().is_disabled

    post(owner, "of/llm/remove/")
    assert not Upstream.objects.exists()
    acts = AuditEntry.objects.filter(act__startswith="upstream").order_by("pk")
    assert list(acts.values_list("act", flat=True)) == [
        "upstream_added",
        "upstream_changed",
        "upstream_turned_off",
        "upstream_turned_on",
        "upstream_removed",
    ]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": "llm", "address": "http://127.0.0.1"}, "a loopback address"),
        ({"name": "llm", "address": "https://169.254.169.254"}, "the metadata service"),
        ({"name": "llm", "address": "https://good@evil.example"}, "without a user name"),
        ({"name": "llm", "address": "https://ｅvil.example"}, "beyond ASCII"),
        ({"name": "llm", "address": "https://e\tvil.example"}, "must be https://"),
        ({"name": "llm", "address": " https://evil.example"}, "must be https://"),
        ({"name": "llm", "address": ""}, "required"),
        ({"name": "llm", "address": f"https://{'a' * 600}"}, "500 characters"),
        ({"name": "o/pen", "address": "https://llm.example"}, "small letters"),
        ({"name": "openai", "address": "https://llm.example"}, "OpenAI has this name"),
        ({"name": "a\0", "address": "https://llm.example"}, "Null characters"),
    ],
)
def test_an_upstream_that_cannot_be_is_refused_beside_its_field(
    owner: Person, fields: dict[str, str], told: str
) -> None:
    answer = post(owner, "add/", **fields)

    assert answer.status_code == 422
    errors = re.findall(r'class="errorlist[^>]*><li>(.*?)</li>', answer.content.decode())
    assert len(errors) == 1 and told in errors[0]
    assert not Upstream.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [{}, {"template": "nobody", "resource": "a"}, {"template": "azure", "resource": "a.b"}],
)
def test_a_resource_that_cannot_be_is_refused(owner: Person, fields: dict[str, str]) -> None:
    assert post(owner, "add/resource/", **fields).status_code == 422
    assert not Upstream.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"address": "https://127.0.0.1", "sample_percent": "5"},
        {"address": "https://llm.example", "sample_percent": "101"},
        {"address": "https://llm.example", "sample_percent": "x"},
        {"address": "https://llm.example", "sample_percent": "5", "sites": "app"},
        {"address": "https://llm.example", "sample_percent": "5", "sites": "x" * 7000},
    ],
)
def test_a_change_that_cannot_be_is_shown_with_its_form_and_changes_nothing(
    owner: Person, fields: dict[str, str]
) -> None:
    door_of(owner).add("llm", "https://llm.example/api")

    answer = post(owner, "of/llm/", **fields)

    assert answer.status_code == 422
    page = answer.content.decode()
    assert "errorlist" in page and page.count("Save llm") == 1
    row = Upstream.objects.get()
    assert (row.base_url, row.sample_percent, row.sites) == ("https://llm.example/api", 100, [])


def test_a_preset_keeps_its_address_whatever_is_posted(owner: Person) -> None:
    answer = post(owner, "of/openai/", address="https://evil.example", sample_percent="5")

    assert answer["Location"] == PAGE
    assert "evil.example" not in shown(owner)
    assert Upstream.objects.get().base_url == ""


def test_a_preset_is_turned_off_but_not_removed(owner: Person) -> None:
    assert post(owner, "of/openai/remove/").status_code == 404
    assert post(owner, "of/openai/turn/", on="no")["Location"] == PAGE
    page = shown(owner)
    assert "Copy the base URL of OpenAI" not in page and "Copy the base URL of Anthropic" in page


def test_a_page_without_a_proxy_says_how_one_is_started(
    owner: Person, settings: LazySettings
) -> None:
    settings.PROXY_ORIGIN = ""
    page = shown(owner)
    assert "No proxy is running" in page and "INSPECTOR_PROXY_ORIGIN" in page
    assert "Create key" not in page


@pytest.mark.parametrize("query", ["?change=nobody", "?change=%00", "?change=" + "a" * 9000])
def test_an_unknown_upstream_has_no_form(owner: Person, query: str) -> None:
    assert "Leave it as it is" not in shown(owner, query)
