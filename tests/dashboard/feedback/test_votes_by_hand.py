"""Readers of a capture vote on its choices, on its page."""

from typing import Any
from uuid import UUID

from inspector.feedback.models import LIVE, Vote
from tests.dashboard.feedback.test_feedback_page import page
from tests.feedback.voting import carrying
from tests.people import Person


def vote(person: Person, capture_id: UUID, choice: int = 0, **sent: str) -> Any:
    return person.browser().post(f"/captures/{capture_id}/choices/{choice}/vote/", sent)


def live() -> list[tuple[str, str, str | None]]:
    found = Vote.objects.filter(LIVE).order_by("user_id")
    return list(found.values_list("user_id", "outcome", "comment"))


def test_each_reader_has_one_vote_on_a_choice_and_may_change_it(
    owner: Person, teammate: Person
) -> None:
    capture_id = carrying(owner, None)
    answer = vote(owner, capture_id, outcome="positive", comment="")
    assert answer.headers["location"] == f"/captures/{capture_id}/#choice-0"
    vote(owner, capture_id, outcome="negative", comment="The date is wrong.")
    vote(teammate, capture_id, outcome="positive")
    assert live() == [
        ("user olga", "negative", "The date is wrong."),
        ("user theo", "positive", None),
    ]
    assert "The date is wrong." in page(owner, path=f"/captures/{capture_id}/")


def test_a_stranger_a_choice_that_is_not_there_and_another_outcome_are_refused(
    owner: Person, stranger: Person
) -> None:
    capture_id = carrying(owner, None)
    assert vote(stranger, capture_id, outcome="positive").status_code == 404
    assert vote(owner, capture_id, 7, outcome="positive").status_code == 404
    assert vote(owner, capture_id, outcome="so-so").status_code == 400
    assert live() == []


def test_the_page_offers_a_vote_to_who_may_vote(owner: Person) -> None:
    capture_id = carrying(owner, None)
    assert f"/captures/{capture_id}/choices/0/vote/" in page(owner, path=f"/captures/{capture_id}/")
