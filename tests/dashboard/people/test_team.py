import re
from datetime import timedelta

import pytest
import time_machine
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from inspector.teams.access import for_key
from inspector.teams.keys import create_api_key
from inspector.teams.models import ApiKey, Invitation, Membership, Role, Team
from tests.markup import evened
from tests.people import Person, make_person

PAGE = "/t/default/team/"


@pytest.fixture
def admin(db: None) -> Person:
    return make_person("ada", "default", Role.ADMIN)


def shown(person: Person) -> str:
    return person.page(PAGE)


def id_of(person: Person) -> int:
    return Membership.objects.get(user=person.user).pk


def key_on(page: str) -> str:
    (found,) = set(re.findall(r"ri_[\w-]{43}", page))
    return str(found)


def test_everybody_in_it_sees_who_else_is_in_it(owner: Person, teammate: Person) -> None:
    for person in (owner, teammate):
        page = shown(person)
        assert "olga" in page and "theo" in page and "sven" not in page


def test_only_who_may_manage_sees_keys_and_invitations(
    owner: Person, admin: Person, teammate: Person
) -> None:
    for person, sees in ((owner, True), (admin, True), (teammate, False)):
        page = shown(person)
        assert (">API keys</h2>" in page) is sees
        assert ("Create invitation" in page) is sees
        assert ("theo&#x27;s service" in page) is sees


def test_every_label_names_one_field(owner: Person) -> None:
    page = shown(owner)
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert {"id_team_name", "id_key_name"} <= set(re.findall(r'<label for="([^"]+)"', page))
    assert set(re.findall(r'<label for="([^"]+)"', page)) <= set(ids)


def test_an_administrator_is_offered_no_owner(owner: Person, admin: Person) -> None:
    assert "<option>owner" not in shown(admin).replace(" selected", "")
    assert "<option selected>owner" in shown(owner)


def test_roles_change_and_members_go(owner: Person, teammate: Person) -> None:
    browser = owner.browser()
    path = f"{PAGE}members/{id_of(teammate)}/"
    assert browser.post(f"{path}role/", {"role": "admin"})["Location"] == PAGE
    assert Membership.objects.get(user=teammate.user).role == Role.ADMIN
    assert browser.post(f"{path}role/", {"role": "emperor"}).status_code == 422
    open_page = teammate.browser()
    assert open_page.get("/t/default/captures/").status_code == 200
    assert browser.post(f"{path}remove/")["Location"] == PAGE
    assert open_page.get("/t/default/captures/").status_code == 404
    assert browser.post(f"{path}remove/").status_code == 404


def test_a_demotion_holds_from_the_next_request_on(owner: Person, admin: Person) -> None:
    open_page = admin.browser()
    assert open_page.post(f"{PAGE}keys/", {"name": "x", "scopes": ["read"]}).status_code == 200
    Membership.objects.filter(user=admin.user).update(role=Role.MEMBER)
    assert open_page.post(f"{PAGE}keys/", {"name": "x", "scopes": ["read"]}).status_code == 403


def test_a_key_names_its_maker_who_may_be_gone(owner: Person, admin: Person) -> None:
    admin.browser().post(f"{PAGE}keys/", {"name": "x", "scopes": ["delete"]})
    key = ApiKey.objects.get(name="x")
    assert (key.made_by, key.scopes) == ("user ada", ["delete"])
    assert "no longer a member" not in shown(owner)
    owner.browser().post(f"{PAGE}members/{id_of(admin)}/remove/")
    ApiKey.objects.filter(name="olga's service").update(made_by=None)
    page = shown(owner)
    assert "not kept" in page and "command" in page
    assert "ada<span" in evened(page) and page.count("(no longer a member)") == 1


def test_a_team_keeps_an_owner(owner: Person, admin: Person) -> None:
    browser = owner.browser()
    for path, form in (
        (f"members/{id_of(owner)}/role/", {"role": "member"}),
        (f"members/{id_of(owner)}/remove/", {}),
        ("leave/", {}),
    ):
        answer = browser.post(f"{PAGE}{path}", form)
        assert answer.status_code == 409
        assert b"A team needs an owner" in answer.content
    assert admin.browser().post(f"{PAGE}members/{id_of(owner)}/remove/").status_code == 403


def test_everybody_else_may_leave(owner: Person, teammate: Person) -> None:
    assert teammate.browser().post(f"{PAGE}leave/")["Location"] == "/account/"
    assert not Membership.objects.filter(user=teammate.user).exists()


def test_a_key_is_shown_once_and_works(owner: Person) -> None:
    form = {"name": "billing", "scopes": ["read"], "days": "30"}
    answer = owner.browser().post(f"{PAGE}keys/", form)
    plain = key_on(answer.content.decode())
    assert answer["Cache-Control"] == "private, no-store"
    assert plain not in shown(owner) and plain[:10] in shown(owner)
    principal = for_key(plain)
    assert principal is not None and principal.teams[0].scopes == {"read"}
    with time_machine.travel(timezone.now() + timedelta(days=30, seconds=1)):
        assert for_key(plain) is None
        assert b"expired" in owner.elsewhere().get(PAGE).content


@pytest.mark.parametrize(
    "form",
    [
        {"name": "", "scopes": ["read"]},
        {"name": "x" * 101, "scopes": ["read"]},
        {"name": "x", "scopes": []},
        {"name": "x", "scopes": ["*"]},
        {"name": "x", "scopes": ["manage"]},
        {"name": "x", "scopes": ["read"], "days": "100000"},
        {"name": "a\0b", "scopes": ["read"]},
    ],
)
def test_a_key_that_cannot_be_is_refused(owner: Person, form: dict[str, object]) -> None:
    before = ApiKey.objects.count()
    assert owner.browser().post(f"{PAGE}keys/", form).status_code == 422
    assert ApiKey.objects.count() == before


def test_a_revoked_key_is_dead_and_stays_on_the_list(owner: Person) -> None:
    plain = create_api_key(owner.team, "old one")
    path = f"{PAGE}keys/{ApiKey.objects.get(name='old one').pk}/revoke/"
    for _ in range(2):
        assert owner.browser().post(path)["Location"] == PAGE
        assert for_key(plain) is None
    assert re.search(r'class="dead">\s*<th scope="row">old one', shown(owner))


def test_an_invitation_is_shown_once_and_can_be_withdrawn(admin: Person) -> None:
    answer = admin.browser().post(f"{PAGE}invitations/", {"role": "viewer", "days": "7"})
    (path,) = re.findall(r"http://127\.0\.0\.1:8000(/join/[\w-]{43}/)", answer.content.decode())
    assert Client().get(path).status_code == 200
    assert path not in shown(admin) and "made by" in shown(admin)
    withdraw = f"{PAGE}invitations/{Invitation.objects.get().pk}/withdraw/"
    assert admin.browser().post(withdraw)["Location"] == PAGE
    assert Client().get(path).status_code == 410
    assert "Invitations" not in shown(admin)


@pytest.mark.parametrize(
    "form", [{"role": "owner", "days": "7"}, {"role": "viewer", "days": "8"}, {}]
)
def test_an_invitation_that_cannot_be_is_refused(admin: Person, form: dict[str, str]) -> None:
    assert admin.browser().post(f"{PAGE}invitations/", form).status_code == 422
    assert not Invitation.objects.exists()


def test_only_an_owner_renames_the_team(owner: Person, admin: Person) -> None:
    assert admin.browser().post(f"{PAGE}name/", {"name": "Ours"}).status_code == 403
    assert owner.browser().post(f"{PAGE}name/", {"name": ""}).status_code == 422
    assert owner.browser().post(f"{PAGE}name/", {"name": "<i>Ours</i>"}).status_code == 302
    assert Team.objects.get(slug="default").name == "<i>Ours</i>"
    assert ">&lt;i&gt;Ours&lt;/i&gt;</span></summary>" in shown(owner)


def test_an_address_beyond_all_numbers_names_nothing(owner: Person) -> None:
    for number in (0, 2**63, 10**40):
        assert owner.browser().post(f"{PAGE}keys/{number}/revoke/").status_code == 404
        assert owner.browser().post(f"{PAGE}members/{number}/remove/").status_code == 404
        path = f"{PAGE}invitations/{number}/withdraw/"
        assert owner.browser().post(path).status_code == 404


def capture_key_of(person: Person, name: str = "checkout") -> int:
    create_api_key(person.team, name, ["capture"])
    return ApiKey.objects.get(name=name).pk


def test_a_key_that_captures_is_shown_in_the_lines_to_paste(
    owner: Person, settings: LazySettings
) -> None:
    settings.PROXY_ORIGIN = "https://inspector.example"
    answer = owner.browser().post(f"{PAGE}keys/", {"name": "checkout", "scopes": ["capture"]})
    page = answer.content.decode()
    base = f"https://inspector.example/proxy/{key_on(page)}"
    assert f"export OPENAI_BASE_URL={base}/openai/v1" in page
    assert f"export ANTHROPIC_BASE_URL={base}/anthropic" in page
    assert "/proxy/KEY/" not in page and "Authorization: Bearer …" not in page
    assert ApiKey.objects.get(name="checkout").scopes == ["capture"]


def test_a_key_that_captures_takes_no_other_permission(owner: Person) -> None:
    form = {"name": "both", "scopes": ["capture", "read"]}
    answer = owner.browser().post(f"{PAGE}keys/", form)
    assert answer.status_code == 422 and b"does nothing else" in answer.content
    assert not ApiKey.objects.filter(name="both").exists()


def test_a_key_that_captures_is_paused_limited_and_resumed(owner: Person) -> None:
    browser, path = owner.browser(), f"{PAGE}keys/{capture_key_of(owner)}/"
    assert browser.post(f"{path}pause/", {"paused": "yes"})["Location"] == PAGE
    assert browser.post(f"{path}streams/", {"max_streams": "7"})["Location"] == PAGE
    page = shown(owner)
    assert "paused<time" in evened(page) and "at most 7 open" in page
    browser.post(f"{path}pause/", {"paused": "no"})
    assert "paused<time" not in evened(shown(owner))


@pytest.mark.parametrize("limit", ["", "0", "-1", "1.5", "x", "100001", "9" * 5000])
def test_a_limit_that_cannot_be_is_refused(owner: Person, limit: str) -> None:
    path = f"{PAGE}keys/{capture_key_of(owner)}/streams/"
    assert owner.browser().post(path, {"max_streams": limit}).status_code == 422
    assert ApiKey.objects.get(name="checkout").max_streams == 100
