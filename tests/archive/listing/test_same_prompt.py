"""Other captures of one prompt, and who else answered it."""

from uuid import UUID

import pytest

from inspector.archive import deletion
from inspector.archive.listing import same_prompt
from inspector.archive.listing.same_prompt import SamePrompt
from inspector.archive.queries import for_principal
from tests.people import Person
from tests.search.asked import body_of, captured

PARCEL = {"model": "orca", "messages": [{"role": "user", "content": "Where is my parcel?"}]}
OTHER = {"model": "orca", "messages": [{"role": "user", "content": "Where is my order?"}]}


def answered(person: Person, *models: str, asked: object = PARCEL) -> list[UUID]:
    bodies = [body_of("On its way.").replace(b"orca-9", model.encode()) for model in models]
    return captured(person, *bodies, asked=asked)


def others_of(person: Person, capture_id: UUID) -> SamePrompt | None:
    opened = for_principal(person.principal).opened(capture_id)
    assert opened is not None
    return opened.same_prompt


def test_other_captures_are_counted(owner: Person, teammate: Person, stranger: Person) -> None:
    here, _, _, seal, newest_seal = answered(
        owner, "orca-9", "orca-9", "orca-10", "seal-1", "seal-1"
    )
    answered(owner, "whale-1", asked=OTHER)
    [theirs] = answered(stranger, "whale-2")
    for person in (owner, teammate):
        assert others_of(person, here) == SamePrompt(4, True, ("seal-1", newest_seal))
    found = others_of(owner, seal)
    assert found is not None and found.other_model is not None
    assert found.other_model[0] == "orca-10"
    assert others_of(stranger, theirs) == SamePrompt(0, True)


def test_a_capture_without_a_known_request_has_no_prompt_to_share(owner: Person) -> None:
    here, _ = answered(owner, "orca-9", "seal-1", asked=None)
    assert others_of(owner, here) is None


def test_a_deleted_capture_of_the_prompt_is_none(owner: Person) -> None:
    here, gone = answered(owner, "orca-9", "seal-1")
    deletion.delete(owner.principal, gone)
    assert others_of(owner, here) == SamePrompt(0, True)


def test_the_newest_of_many_is_told(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(same_prompt, "MAX_COUNTED", 4)
    here, *_ = answered(owner, "orca-9", *(f"seal-{number}" for number in range(6)))
    found = others_of(owner, here)
    assert found is not None
    assert (found.number, found.is_all) == (4, False)
    assert found.other_model is not None and found.other_model[0] == "seal-5"
