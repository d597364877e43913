import json
from urllib.parse import quote, urlencode
from uuid import uuid4

import pytest

from inspector.archive.intake.submission import Submission
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import CUT, WHOLE, accept_arrival, inspect_all, inspected
from tests.people import Person

LIST = "/api/v1/captures/"
FLEX = WHOLE.replace(
    b'"usage"', b'"service_tier":"flex","system_fingerprint":"fp 1","usage"'
).replace(b'"gpt-4o"', b'"parcel-1"')


def found(person: Person, query: str) -> list[str]:
    answer = person.get(f"{LIST}?{query}")
    assert answer.status == 200, answer.body
    return [row["id"] for row in answer.json["captures"]]


def test_the_list_is_narrowed_by_name(owner: Person, subtests: pytest.Subtests) -> None:
    ids = {
        "whole": str(inspected(owner, WHOLE)),
        "cut": str(inspected(owner, CUT)),
        "tagged": owner.post(f"{LIST}?tag=nightly&tag=eu+west", WHOLE).json["id"],
    }
    for query, meant in [
        ("verdict=complete", ["whole"]),
        ("verdict=complete&verdict=cut-off", ["cut", "whole"]),
        ("result=answered", ["whole"]),
        ("result=answered&result=truncated", ["cut", "whole"]),
        ("result=empty", []),
        ("state=inspected&model=gpt-4o", ["whole"]),
        ("state=received", ["tagged"]),
        ("tag=nightly&tag=eu+west", ["tagged"]),
        ("tag=nightly&tag=us", []),
        ("finish_reason=stop", ["whole"]),
        ("finding=error", ["cut"]),
        ("finding=ending.cut-off", ["cut"]),
        ("key=olga%27s+service", ["tagged", "cut", "whole"]),
        ("since=1h", ["tagged", "cut", "whole"]),
        ("until=1h", []),
        ("q=GPT-4O", ["whole"]),
        ("cost=computed", ["whole"]),
        ("cost=no_usage", ["cut"]),
        ("price_table=genai-prices+0.2.3", ["whole"]),
        ("missing=model", ["cut"]),
        ("missing=service_tier&verdict=complete", ["whole"]),
        ("missing=fingerprint&missing=service_tier", ["cut", "whole"]),
    ]:
        with subtests.test(query=query, meant=meant):
            assert found(owner, query) == [ids[name] for name in meant]


def test_what_answers_state_of_tier_and_fingerprint_is_asked_for_exactly(
    owner: Person, subtests: pytest.Subtests
) -> None:
    capture_id = str(inspected(owner, FLEX))
    for query, is_found in [
        ("service_tier=flex", True),
        ("service_tier=default&service_tier=flex", True),
        ("service_tier=FLEX", False),
        ("fingerprint=fp+1", True),
        ("fingerprint=fp", False),
        ("missing=fingerprint", False),
    ]:
        with subtests.test(query=query, is_found=is_found):
            assert found(owner, query) == [capture_id] * is_found


def test_a_stranger_finds_nothing_of_others_by_any_filter(
    owner: Person, teammate: Person, stranger: Person, subtests: pytest.Subtests
) -> None:
    values = {
        "state": "inspected",
        "verdict": "complete",
        "result": "answered",
        "model": "gpt-4o",
        "request_model": "gpt-4o",
        "dialect": "openai-chat",
        "vendor": "openai",
        "finish_reason": "stop",
        "finding": "info",
        "cost": "computed",
        "price_table": "genai-prices 0.2.3",
        "service_tier": "flex",
        "ambiguous_tier": "flex",
        "fingerprint": "fp 1",
        "missing": "vendor",
        "tag": "nightly",
        "key": "olga's service",
        "session": "night run",
        "upstream": "openai",
        "since": "1h",
        "until": "2999-01-01T00:00:00Z",
        "q": "gpt",
    }
    for name in CAPTURE_FIELDS.parameter_names():
        with subtests.test(name=name):
            query = urlencode({name: values[name]})
            nothing = stranger.get(f"{LIST}?{query}")
            body = FLEX.replace(b"parcel-1", b"gpt-4o")
            metadata = {"session": "night run"}
            sent = Submission(Exchange.of_body(body), tags=("nightly",), metadata=metadata)
            accept_arrival(owner, sent)
            inspect_all()
            assert found(teammate, query) == found(owner, query)
            assert stranger.get(f"{LIST}?{query}").body == nothing.body


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("order_by=id", "'order_by'"),
        ("team=elsewhere", "'team'"),
        ("team__slug=x", "'team__slug'"),
        ("model__startswith=g", "'model__startswith'"),
        ("verdict=fine", "'verdict' has no value 'fine'"),
        ("result=fine", "'result' has no value 'fine'; there are error, pending"),
        ("state=gone", "'state' has no value 'gone'"),
        ("state=RECEIVED", "'state'"),
        ("cost=dear", "'cost' has no value 'dear'"),
        ("missing=tier", "'missing' has no value 'tier'"),
        ("service_tier=", "'service_tier'"),
        ("fingerprint=a%00b", "'fingerprint'"),
        ("dialect=esperanto", "'dialect'"),
        ("finding=no.such-rule", "'finding'"),
        ("model=", "'model'"),
        ("model=a%00b", "'model'"),
        ("q=a%00b", "'q'"),
        ("q=", "'q'"),
        ("q=" + "a" * 2001, "'q'"),
        ("q=vendor:x+verdict:fine", "'q' at 9 to 21: 'verdict' has no value 'fine'"),
        ("q=verdict:complet", "did you mean verdict:complete?"),
        ("q=vendr:openai", "'vendr' is no field; did you mean vendor:openai?"),
        ("q=(a", "'q' opens a parenthesis that is not closed"),
        ("q=first_token>fast", "is not a duration such as 800ms"),
        ("q=a&q=b", "'q'"),
        ("tag=" + "a" * 501, "'tag'"),
        ("&".join(f"tag={n}" for n in range(21)), "'tag'"),
        ("since=last+week", "'since' is not a time"),
        ("until=2026-02-30T00:00:00Z", "'until'"),
        ("since=1h&since=2h", "'since'"),
    ],
)
def test_a_name_or_value_that_is_not_known_is_refused_by_name(
    owner: Person, query: str, told: str
) -> None:
    answer = owner.get(f"{LIST}?{query}")
    assert answer.status == 422
    assert told in answer.json["error"]["message"]


def test_what_is_asked_for_is_text_and_never_a_pattern(
    owner: Person, subtests: pytest.Subtests
) -> None:
    inspected(owner)
    for text in ["(a+)+$", "%_%", "'; DROP TABLE x;--", "\\", "é\u202e"]:
        with subtests.test(text=text):
            for name in ("q", "model", "tag", "key", "vendor", "finish_reason"):
                assert found(owner, f"{name}={quote(text)}") == []


def test_a_half_of_a_pair_is_no_fault_of_ours(owner: Person) -> None:
    assert owner.get(f"{LIST}?q=%ED%A0%80").status == 200


def test_cursors_go_on_inside_a_filtered_list(owner: Person) -> None:
    ids = []
    for _ in range(5):
        ids.append(str(inspected(owner, WHOLE)))
        inspected(owner, CUT)
    seen, cursor = [], ""
    while cursor is not None:
        page = owner.get(f"{LIST}?verdict=complete&limit=2{cursor}").json
        seen += [row["id"] for row in page["captures"]]
        cursor = f"&cursor={page['next_cursor']}" if page["next_cursor"] else None
    assert seen == ids[::-1]


def test_a_cursor_of_another_list_tells_nothing_of_it(owner: Person, stranger: Person) -> None:
    inspected(owner)
    cursor = owner.get(LIST).json["latest_cursor"]
    for query in (f"cursor={cursor}", f"after={cursor}"):
        assert found(stranger, query) == []
    unknown = cursor.partition("-")[0] + "-" + uuid4().hex
    mine = stranger.get(f"{LIST}?cursor={cursor}").json
    other = stranger.get(f"{LIST}?cursor={unknown}").json
    assert mine["captures"] == other["captures"] == []


OVERLOADED = {
    "request": {
        "method": "POST",
        "url": "https://api.example/v1/chat/completions",
        "body": '{"model":"gpt-4o"}',
    },
    "response": {
        "status": 429,
        "body": '{"error":{"message":"Slow down.","type":"rate_limit_error"}}',
    },
}


def test_a_failed_call_is_found_by_the_model_that_was_asked_for(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    answered = str(inspected(owner, WHOLE))
    sent = owner.post(
        LIST, json.dumps(OVERLOADED).encode(), "application/vnd.inspector.exchange+json"
    )
    inspect_all()
    failed = sent.json["id"]
    assert found(owner, "model=gpt-4o") == found(teammate, "q=model:gpt-4o") == [failed, answered]
    assert found(owner, "model=gpt-4o&result=error") == [failed]
    assert found(owner, "missing=model") == found(stranger, "model=gpt-4o") == []
    row = owner.get(f"{LIST}?result=error").json["captures"][0]
    assert (row["model"], row["request_model"]) == (None, "gpt-4o")
    (group,) = owner.get("/api/v1/usage/?range=24h").json["groups"]
    assert (group["value"], group["captures"], group["results"]["error"]) == ("gpt-4o", 2, 1)
    assert "asked: gpt-4o" in owner.browser().get("/t/default/captures/").content.decode()
