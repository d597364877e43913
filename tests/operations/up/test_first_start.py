from inspector.operations.up.first_start import first_start
from inspector.teams.access import DELETE, FEEDBACK, INGEST, READ, for_key
from tests.people import Person


def test_the_first_key_does_all_that_the_documentation_has_it_do(db: None) -> None:
    first = first_start()
    assert first is not None
    principal = for_key(first.key)
    assert principal is not None
    for scope in (INGEST, READ, FEEDBACK, DELETE):
        assert principal.may(scope)


def test_where_a_team_is_there_is_no_first_start(owner: Person) -> None:
    assert first_start() is None
