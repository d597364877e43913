from django.test import Client

from inspector.operations.up.preparation import first_start, new_sign_in_path
from inspector.teams.access import CAPTURE, DELETE, FEEDBACK, INGEST, READ, SCOPES, for_key
from tests.people import Person


def test_the_first_key_does_all_that_the_documentation_has_it_do(db: None) -> None:
    first = first_start(with_proxy=False)
    assert first is not None and first.capture_key == ""
    principal = for_key(first.key)
    assert principal is not None
    for scope in (INGEST, READ, FEEDBACK, DELETE):
        assert principal.may(scope)


def test_the_proxy_gets_a_key_that_does_nothing_else(db: None) -> None:
    first = first_start(with_proxy=True)
    assert first is not None
    principal = for_key(first.capture_key)
    assert principal is not None and principal.may(CAPTURE)
    assert not any(principal.may(scope) for scope in SCOPES)


def test_where_a_team_is_there_is_no_first_start(owner: Person) -> None:
    assert first_start(with_proxy=True) is None


def test_browser_of_this_machine_is_given_a_link_of_its_own(owner: Person, client: Client) -> None:
    path = new_sign_in_path()
    assert path != new_sign_in_path()
    assert client.get(path).status_code == 200


def test_where_nobody_owns_the_first_team_there_is_no_link(db: None) -> None:
    assert new_sign_in_path() == ""
