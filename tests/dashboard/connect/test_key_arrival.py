"""The light beside a new key: dark until a capture came with it."""

from inspector.teams.keys import id_of
from inspector.teams.models import ApiKey
from tests.markup import evened
from tests.people import Person

CAPTURES = "/api/v1/captures/"
WHOLE = b'{"object":"chat.completion","model":"parcel-1","choices":[]}'


def light(asker: Person, key: str, team: str = "default") -> str:
    return asker.page(f"/t/{team}/team/keys/{id_of(key)}/arrival/")


def test_it_waits_until_something_came_with_the_key_and_leads_to_it(
    owner: Person, teammate: Person
) -> None:
    assert "Waiting for the first capture with this key." in light(owner, owner.key)
    first = owner.post(CAPTURES, WHOLE).json["id"]
    owner.post(CAPTURES, WHOLE)
    found = light(teammate, owner.key)
    assert f'<a href="/captures/{first}/" target="_blank" rel="noopener">open it</a>' in evened(
        found
    )
    assert 'id="live"' not in found


def test_what_came_with_another_key_leaves_it_dark(owner: Person, teammate: Person) -> None:
    teammate.post(CAPTURES, WHOLE)
    assert "Waiting" in light(owner, owner.key)


def test_a_stranger_learns_nothing_of_a_key(owner: Person, stranger: Person) -> None:
    owner.post(CAPTURES, WHOLE)
    address = f"/t/default/team/keys/{id_of(owner.key)}/arrival/"
    assert stranger.browser().get(address).status_code == 404
    assert "Waiting" in light(stranger, owner.key, stranger.team.slug)


def test_it_is_beside_a_new_key_that_captures_or_sends_and_beside_no_other(owner: Person) -> None:
    for scope, is_awaited in (("capture", True), ("ingest", True), ("read", False)):
        form = {"name": f"for {scope}", "scopes": [scope]}
        page = owner.browser().post("/t/default/team/keys/", form).content.decode()
        key = ApiKey.objects.get(name=f"for {scope}")
        address = f'hx-get="/t/default/team/keys/{key.pk}/arrival/"'
        assert (address in page) is is_awaited
