from tests.archive.samples import SSE, STREAM, WHOLE, inspected
from tests.people import Person

USAGE = "/api/v1/usage/"


def test_usage_is_told_by_group_with_how_many_told_it(owner: Person) -> None:
    inspected(owner, WHOLE)
    inspected(owner, STREAM, SSE)
    found = owner.get(f"{USAGE}?range=24h").json
    assert found["all"]["captures"] == 2
    (group,) = found["groups"]
    assert (group["value"], group["captures"], group["usage_reported"]) == ("gpt-4o", 2, 1)
    assert group["tokens"]["prompt_tokens"] == {"sum": 3, "captures": 1}
    assert group["verdicts"] == {"complete": 2}
    assert group["stated_usd"] == {"sum": None, "captures": 0}


def test_everybody_sees_their_own_team_alone(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    inspected(owner)
    counts = [person.get(USAGE).json["all"]["captures"] for person in (owner, teammate, stranger)]
    assert counts == [1, 1, 0]


def test_what_is_not_understood_is_named(owner: Person) -> None:
    for query, word in (
        ("by=color", "by is one of"),
        ("range=1y", "range is one of"),
        ("since=soon", "no moment"),
        ("since=2d&until=3d", "before it begins"),
        ("colour=red", "unknown query parameter"),
    ):
        refused = owner.get(f"{USAGE}?{query}")
        assert refused.status == 422, query
        assert word in refused.json["error"]["message"]
