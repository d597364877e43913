"""The description says what there is: no route, method, filter or status is missing from it."""

import json
import re
import tomllib
from typing import Any

import pytest
from django.test import Client

from api.openapi.components import DESCRIPTIONS
from inspector.archive.intake.limits import MAX_TAGS, TAG_CHARACTERS
from inspector.archive.intake.wait_for_inspection import MAX_WAIT_SECONDS
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.teams.authorisation import TABLE, AuthMethod
from inspector.teams.route_check import routes
from inspector.urls import urlpatterns
from tests.archive.samples import STREAM, WHOLE, inspected
from tests.people import Person, ask

CAPTURES = "/api/v1/captures/"


@pytest.fixture
def described() -> dict[str, Any]:
    answer = ask("GET", "/api/schema/")
    assert answer.status == 200
    found: dict[str, Any] = answer.json
    return found


VOTES = ("api:vote", "api:vote-of-team")
"""Open, and for programs of others: the token in the body is the key."""


def test_every_route_of_a_key_or_token_is_described_with_every_method(
    described: dict[str, Any],
) -> None:
    declared = {
        ("/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route.address), method.lower())
        for route in routes(urlpatterns)
        if TABLE[route.name].auth_method is AuthMethod.KEY or route.name in VOTES
        for method in TABLE[route.name].needs
        if method != "OPTIONS"
    }
    told = {(path, method) for path, ways in described["paths"].items() for method in ways}
    of_no_route = {("/livez", "get"), ("/readyz", "get")}
    # The Model Context Protocol describes itself.
    assert told - of_no_route == declared - {("/mcp", "post")}


def test_every_operation_says_how_it_refuses(described: dict[str, Any]) -> None:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}
    for path, ways in described["paths"].items():
        for method, operation in ways.items():
            assert operation["summary"] and operation["operationId"], (method, path)
            for status in ("401", "403", "422", "429", "503"):
                if path.startswith("/api/"):
                    assert operation["responses"][status]["content"] == error


def test_every_filter_and_every_place_in_an_address_is_a_parameter(
    described: dict[str, Any],
) -> None:
    listed = described["paths"][CAPTURES]["get"]["parameters"]
    assert {*CAPTURE_FIELDS.parameter_names(), "cursor", "after", "limit"} <= {
        one["name"] for one in listed
    }
    for path, ways in described["paths"].items():
        for operation in ways.values():
            named = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path))


def test_what_it_points_to_is_there(described: dict[str, Any]) -> None:
    names = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(described)))
    assert names <= set(described["components"]["schemas"])


def test_answers_have_members_that_are_described(owner: Person, described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    capture_id = inspected(owner, STREAM, "text/event-stream")
    page = owner.get(f"{CAPTURES}{capture_id}/").json
    assert set(page) == set(schemas["CaptureDetail"]["required"])
    (row,) = owner.get(CAPTURES).json["captures"]
    assert set(row) == set(schemas["ListedCapture"]["required"])
    posted = owner.post(f"{CAPTURES}?wait=5", WHOLE).json
    assert set(posted) == set(schemas["AcceptedCapture"]["properties"])
    assert set(owner.get("/api/v1/").json) == set(schemas["ServiceDescription"]["properties"])
    assert set(owner.get(f"{CAPTURES}{capture_id}/timeline/").json) == set(
        schemas["Tape"]["properties"]
    )
    receipt = owner.ask("DELETE", f"{CAPTURES}{capture_id}/").json
    assert set(receipt) == set(schemas["DeletionReceipt"]["properties"])


def test_every_operation_has_the_tag_of_its_subject(described: dict[str, Any]) -> None:
    tags = {
        operation["operationId"]: operation["tags"]
        for ways in described["paths"].values()
        for operation in ways.values()
    }
    assert {tag["name"] for tag in described["tags"]} == set(sum(tags.values(), []))
    assert tags["list_captures"] == tags["download_capture"] == ["captures"]
    assert tags["cast_vote"] == tags["create_feedback_token"] == ["feedback"]
    assert tags["show_usage"] == tags["show_drift"] == tags["show_prices"] == ["usage"]
    assert tags["inspect"] == ["inspection"]
    assert tags["describe_service"] == tags["is_ready"] == ["service"]


def test_every_schema_has_a_description_that_was_written_for_callers(
    described: dict[str, Any],
) -> None:
    schemas = described["components"]["schemas"]
    assert [name for name, schema in schemas.items() if "description" not in schema] == []
    assert set(tomllib.loads(DESCRIPTIONS.read_text())) <= set(schemas)


def test_no_word_of_the_code_is_published(described: dict[str, Any]) -> None:
    operations = [each for ways in described["paths"].values() for each in ways.values()]
    assert not any("description" in operation for operation in operations)
    published = json.dumps(described).replace("If-None-Match", "")
    for word in ("``", "UNSET", "None", "Struct", "dataclass", "Raises", "tuple", "dict"):
        assert not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", published), word


def test_limits_in_descriptions_are_those_that_hold(described: dict[str, Any]) -> None:
    told = {
        parameter["name"]: parameter["description"]
        for parameter in described["paths"][CAPTURES]["post"]["parameters"]
    }
    assert told["tag"] == f"up to {MAX_TAGS} tags of 1 to {TAG_CHARACTERS} characters"
    assert told["wait"].endswith(f"at most {MAX_WAIT_SECONDS}")


def test_the_page_asks_no_other_host_and_runs_nothing_inline(client: Client, db: None) -> None:
    response = client.get("/api/docs/")
    text = response.content.decode()
    policy = response["Content-Security-Policy"]
    assert response.status_code == 200
    assert "//" not in text
    assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=", text)
    assert "script-src 'self';" in policy + ";" and "img-src 'self' data:" in policy
    assert "unsafe" not in policy
    sources = re.findall(r'(?:src|href)="(/static/[^"]+)"', text)
    assert len(sources) == 6


def test_other_pages_keep_the_stricter_policy(owner: Person) -> None:
    response = owner.browser().get("/t/default/captures/")
    assert "data:" not in response["Content-Security-Policy"]
