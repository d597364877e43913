from tests.archive.samples import SSE, STREAM, WHOLE, inspected
from tests.feedback.voting import carrying, token_for, voted
from tests.people import Person
from tests.usage.past import WITH_REASONING, arrived, look

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
    assert group["results"] == {"answered": 2}
    assert group["stated_usd"] == {"sum": None, "captures": 0}


def test_votes_of_the_period_stand_beside_it(owner: Person, stranger: Person) -> None:
    capture_id = carrying(owner, None)
    for outcome in ("positive", "positive", "negative"):
        voted(owner, token_for(owner, capture_id), outcome)
    tally = {"positive": 2, "negative": 1}
    by_model = owner.get(USAGE).json["feedback"]
    assert by_model == {"all": tally, "groups": [{"value": "gpt-4o", **tally}]}
    by_tier = owner.get(f"{USAGE}?by=service_tier").json["feedback"]
    assert by_tier == {"all": tally, "groups": None}
    nothing = {"all": {"positive": 0, "negative": 0}, "groups": []}
    assert stranger.get(USAGE).json["feedback"] == nothing


def test_everybody_sees_their_own_team_alone(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    inspected(owner)
    counts = [person.get(USAGE).json["all"]["captures"] for person in (owner, teammate, stranger)]
    assert counts == [1, 1, 0]


def test_what_is_not_understood_is_named(owner: Person) -> None:
    for query, word in (
        ("by=color", "query parameter 'by' is one of"),
        ("by=model&within=color&of=a", "query parameter 'within' is one of"),
        ("by=model&within=model&of=a", "another one than by"),
        ("by=model&within=key", "query parameter 'of' goes with within"),
        ("of=gpt-4o", "query parameter 'of' goes with within"),
        ("range=1y", "range is one of"),
        ("since=soon", "is not a time"),
        ("since=2d&until=3d", "ends where it begins, or before"),
        ("colour=red", "unknown query parameter"),
    ):
        refused = owner.get(f"{USAGE}?{query}")
        assert refused.status == 422, query
        assert word in refused.json["error"]["message"]


def test_what_changed_is_told_with_its_test_to_its_team_alone(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    arrived(owner, 30, 9)
    new = arrived(owner, 8, 2, WITH_REASONING)
    look()
    for person in (owner, teammate):
        found = person.get(f"{USAGE}drift/?range=24h").json
        (event,) = found["events"]
        assert (event["subject"], event["direction"], event["model"]) == (
            "fields",
            "appeared",
            "gpt-4o",
        )
        assert event["value"] == "/choices/message/reasoning_content"
        assert (event["before"], event["since"]) == (
            {"captures": 30, "value": 0},
            {"captures": 8, "value": 8},
        )
        p_value = event["test"].pop("p_value")
        assert 0 < p_value < 1e-7
        assert event["test"] == {
            "before": {"captures": 30, "value": 0},
            "since": {"captures": 8, "value": 8},
        }
        assert event["replaced_test"] is None
        assert [each["id"] for each in event["captures"]] == [
            str(capture_id) for capture_id in new[:3]
        ]
        assert found["more"] is False
    assert stranger.get(f"{USAGE}drift/").json["events"] == []


def test_what_is_asked_of_drift_and_not_understood_is_named(owner: Person) -> None:
    for query, word in (("by=model", "unknown query parameter"), ("since=soon", "is not a time")):
        refused = owner.get(f"{USAGE}drift/?{query}")
        assert refused.status == 422, query
        assert word in refused.json["error"]["message"]


def test_the_captures_of_a_group_are_grouped_again(owner: Person, stranger: Person) -> None:
    for model in (b"gpt-4o", b"parcel-1"):
        inspected(owner, WHOLE.replace(b"gpt-4o", model))
    query = "by=model&of=parcel-1&within=tag"
    found = owner.get(f"{USAGE}?{query}").json
    assert (found["by"], found["within"], found["of"]) == ("model", "tag", "parcel-1")
    ((value, captures),) = [(group["value"], group["captures"]) for group in found["groups"]]
    assert (value, captures, found["all"]["captures"]) == (None, 1, 2)
    assert (found["newest_captures"], found["feedback"]["groups"]) == (None, None)
    assert stranger.get(f"{USAGE}?{query}").json["groups"] == []
    without = owner.get(f"{USAGE}?by=session&of=&within=model").json
    assert {group["value"] for group in without["groups"]} == {"gpt-4o", "parcel-1"}
    assert without["of"] is None and owner.get(USAGE).json["within"] is None
