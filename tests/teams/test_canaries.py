"""Two teams whose captures hold words that nobody else has: no answer carries one across."""

import json
import random

import pytest
from django.urls import reverse

from tests.archive.samples import inspect_all
from tests.people import Person
from tests.teams.world import all_routes
from tests.tiers import examples

ENVELOPE = "application/vnd.inspector.exchange+json"
FILTERS = (
    "model",
    "request_model",
    "tag",
    "finish_reason",
    "vendor",
    "dialect",
    "finding",
    "key",
    "q",
)

pytestmark = pytest.mark.django_db


def canaries(who: str) -> dict[str, str]:
    places = ("model", "tag", "note", "content", "finish", "extra", "tool")
    return {place: f"{place}canary{who}" for place in places}


def keep(person: Person, words: dict[str, str]) -> str:
    """One capture with a canary in every field that a page or a list shows."""
    call = {"id": "c", "type": "function", "function": {"name": words["tool"], "arguments": "{"}}
    message = {"role": "assistant", "content": words["content"], "tool_calls": [call]}
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 1795183339,
        "model": words["model"],
        "extra": words["extra"],
        "choices": [{"index": 0, "message": message, "finish_reason": words["finish"]}],
    }
    envelope = {"response": {"status": 200, "body": json.dumps(body)}, "tags": [words["tag"]]}
    path = f"/api/v1/captures/?note={words['note']}"
    capture_id: str = person.post(path, json.dumps(envelope).encode(), ENVELOPE).json["id"]
    return capture_id


def everything(person: Person, other: str, capture_id: str, foreign: str) -> list[bytes]:
    """What every readable address says to one person, asked for the own and the other side."""
    browser, told = person.browser(), []
    for route in all_routes():
        for team, capture in ((person.team.slug, capture_id), (other, foreign)):
            values = {"team": team, "capture_id": capture}
            if set(route.arguments) <= set(values):
                path = reverse(route.name, kwargs={n: values[n] for n in route.arguments})
                told += [person.get(path).body, b"".join(browser.get(path))]
    return told


def searches(person: Person, words: list[str], walks: int) -> list[bytes]:
    rng = random.Random(7)
    told = []
    for _ in range(walks):
        names = rng.sample(FILTERS, rng.randint(1, 3))
        query = "&".join(f"{name}={rng.choice(words)}" for name in names)
        told.append(person.get(f"/api/v1/captures/?{query}").body)
    return told


def test_no_answer_has_a_word_of_another_team(owner: Person, stranger: Person) -> None:
    words = {owner: canaries("ours"), stranger: canaries("theirs")}
    ids = {person: keep(person, words[person]) for person in (owner, stranger)}
    inspect_all()
    for person, other in ((owner, stranger), (stranger, owner)):
        told = everything(person, other.team.slug, ids[person], ids[other])
        told += searches(person, [*words[person].values()], examples(10, 200))
        seen = b"\n".join(told)
        assert all(word.encode() in seen for word in words[person].values())
        assert not [word for word in words[other].values() if word.encode() in seen]


@pytest.mark.thorough
def test_a_search_for_words_of_another_team_finds_nothing(owner: Person, stranger: Person) -> None:
    foreign = canaries("theirs")
    keep(owner, canaries("ours"))
    capture_id = keep(stranger, foreign)
    inspect_all()
    for body in searches(owner, [*foreign.values()], walks=200):
        assert b'"captures":[]' in body.replace(b" ", b"") or b'"error"' in body
        assert capture_id.encode() not in body
