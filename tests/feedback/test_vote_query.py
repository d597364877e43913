"""Votes are found by the same language as captures, on page and API alike."""

import re
from urllib.parse import urlencode
from uuid import UUID

import pytest

from inspector.archive.annotation import tag_all
from inspector.archive.models import Inspection
from tests.archive.samples import inspected
from tests.feedback.voting import SEED_TOKEN, body_of, carrying, token_for, voted
from tests.people import Person

pytestmark = pytest.mark.both_stacks

LIST = "/api/v1/feedback/"
PAGE = "/t/default/feedback/"
ALL = {"good", "bad", "quiet", "foreign"}


@pytest.fixture
def votes(owner: Person) -> dict[str, UUID]:
    one, other = carrying(owner, None), carrying(owner, None, model="parcel-1")
    third = carrying(owner, SEED_TOKEN)
    Inspection.objects.filter(pk=one).update(vendor="openai")
    Inspection.objects.filter(pk__in=[other, third]).update(vendor=None)
    tag_all(owner.principal, [one], "eu", add=True)
    return {
        "good": voted(owner, token_for(owner, one), "positive", user_id="ada").id,
        "bad": voted(owner, token_for(owner, other), "negative", comment="Far too late").id,
        "quiet": voted(owner, token_for(owner, one), "negative").id,
        "foreign": voted(owner, SEED_TOKEN, "negative", comment="late again").id,
    }


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("outcome:negative", {"bad", "quiet", "foreign"}),
        ("outcome:negative vendor:openai", {"quiet"}),
        ("vendor:openai", {"good", "quiet"}),
        ("-vendor:openai", {"bad", "foreign"}),
        ("model:parcel*", {"bad"}),
        ("-model:parcel*", {"good", "quiet", "foreign"}),
        ("tag:eu", {"good", "quiet"}),
        ("-tag:eu", {"bad", "foreign"}),
        ("tag:eu or verified:no", {"good", "quiet", "foreign"}),
        ("finish_reason:stop", ALL),
        ("-finish_reason:stop", set()),
        ("finish_reason:length or user:ada", {"good"}),
        ("comment:yes", {"bad", "foreign"}),
        ("late", {"bad", "foreign"}),
        ("LATE far", {"bad"}),
        ('"too late"', {"bad"}),
        ('-"too late"', {"good", "quiet", "foreign"}),
        ("late or user:ada", {"good", "bad", "foreign"}),
        ("missing:vendor", {"bad", "foreign"}),
        ("has:user", {"good"}),
        ('user:""', {"bad", "quiet", "foreign"}),
        ("verified:no", {"foreign"}),
        ("-(outcome:negative or tag:eu)", set()),
        ("since:1h", ALL),
        ("until:1h", set()),
    ],
)
def test_a_query_finds_votes_on_page_and_api(
    owner: Person,
    teammate: Person,
    stranger: Person,
    votes: dict[str, UUID],
    query: str,
    names: set[str],
) -> None:
    address = urlencode({"q": query})
    meant = {str(votes[name]) for name in names}
    for person in (owner, teammate):
        assert {row["id"] for row in person.get(f"{LIST}?{address}").json["feedback"]} == meant
    assert stranger.get(f"{LIST}?{address}").json["feedback"] == []
    html = teammate.browser().get(f"{PAGE}?{address}").content.decode()
    assert set(re.findall(r'id="vote-([0-9a-f-]{36})"', html)) == meant
    assert stranger.browser().get(f"{PAGE}?{address}").status_code == 404


def test_the_query_stands_beside_the_other_filters(owner: Person, votes: dict[str, UUID]) -> None:
    found = owner.get(f"{LIST}?outcome=negative&q=late+or+tag:eu").json["feedback"]
    assert {row["id"] for row in found} == {str(votes[n]) for n in ("bad", "quiet", "foreign")}
    html = owner.browser().get(f"{PAGE}?outcome=negative&q=late").content.decode()
    assert 'name="q" value="late"' in html
    assert "outcome=positive&amp;q=late" in html or "q=late&amp;outcome=positive" in html


def test_a_mistake_is_told_and_stays_in_the_box(owner: Person, votes: dict[str, UUID]) -> None:
    html = owner.browser().get(f"{PAGE}?q=outcom:negative").content.decode()
    assert 'name="q" value="outcom:negative"' in html
    assert "Did you mean outcome:negative?" in html
    answer = owner.get(f"{LIST}?q=outcom:negative")
    assert answer.status == 422
    assert "did you mean outcome:negative?" in answer.json["error"]["message"]


def test_a_choice_that_has_two_rows_of_one_number_is_found_once(owner: Person) -> None:
    body = body_of(None, None).replace(b'"index": 1', b'"index": 0')
    capture_id = inspected(owner, body)
    token = token_for(owner, capture_id)
    voted(owner, token, "negative")
    found = owner.get(f"{LIST}?q=finish_reason:stop").json["feedback"]
    assert len(found) == 1
