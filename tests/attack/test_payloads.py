"""Hostile text in every field that anybody may fill: every answer has it as text, or as a file."""

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from inspector.dashboard.capture import panels
from inspector.formatting.invisible_characters import HIDING_CHARACTERS
from inspector.teams.authorisation import TABLE, AuthMethod
from inspector.teams.keys import create_api_key
from inspector.teams.models import Membership, Role, Team, User
from inspector.teams.route_check import Route
from inspector.transfer.fixtures.registry import KINDS
from inspector.usage.cost import team_prices
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from tests.archive.samples import inspect_all
from tests.dashboard.capture.samples import call, chunk, delta
from tests.dashboard.test_hostile import HOSTILE_TEXTS, Elements, everywhere
from tests.feedback.voting import token_for, voted
from tests.people import Answer, Person
from tests.teams.world import all_routes

ENVELOPE = "application/vnd.inspector.exchange+json"
VIEWS = (
    "?raw=all&timeline=table&logprobs=table&choices=markdown&tool_calls=tree",
    "?raw=hex&choices=diff",
    "?raw=tree&find=a",
    "?raw=request",
)
HARMLESS = (
    "application/octet-stream",
    "application/x-ndjson",
    "text/plain; charset=utf-8",
    "text/csv; charset=utf-8",
)
FILES = ("fixture", "raw", "request-body", "text", "usage-table", "usage-download")
"""Answers of pages that are kept as files."""

LEADS_AWAY = "noopener noreferrer nofollow"


class ElementsAndCitations(Elements):
    """Elements without the links to what an answer cites, which whoever wants to may follow."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if ("rel", LEADS_AWAY) in attrs:
            assert tag == "a" and str(dict(attrs)["href"]).startswith("https://evil.example/")
            attrs = [(name, value) for name, value in attrs if name != "href"]
        super().handle_starttag(tag, attrs)


def readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def on_one_line(text: str) -> str:
    """As a header may have it."""
    return "".join(each for each in readable(text) if each.isprintable())


def schema_of(text: str) -> dict[str, Any]:
    properties = {text: {"type": "string", "description": text, "enum": [text], "pattern": text}}
    return {"type": "object", "properties": properties, "required": [text], "$ref": text}


def asked(text: str) -> dict[str, Any]:
    function = {"name": text, "description": text, "parameters": schema_of(text)}
    return {
        "model": text,
        "messages": [{"role": text, "content": text, "name": text}],
        "tools": [{"type": "function", "function": function}, {"type": text}],
        "stop": [text],
        "user": text,
        text: text,
    }


def answered(text: str) -> dict[str, Any]:
    """More than every completion has: citations, annotations, speech."""
    body: dict[str, Any] = everywhere(text)
    message = body["choices"][0]["message"]
    citation = {"url": f"https://evil.example/{text}", "title": text, "start_index": 0}
    message["annotations"] = [{"type": "url_citation", "url_citation": citation}]
    message["audio"] = {"id": text, "data": text, "transcript": text, "format": text}
    body["citations"] = [text, f"javascript:{text}", f"https://evil.example/{text}"]
    body["error"] = {"message": text, "type": text, "code": text}
    return body


def envelope(text: str, body: str) -> bytes:
    line = on_one_line(text)
    headers = [["content-type", line], ["user-agent", line], ["x-request-id", line], [line, line]]
    sent = {
        "request": {
            "method": line[:20],
            "url": f"https://evil.example/{line}?{line}#{line}",
            "headers": headers,
            "body": json.dumps(asked(text)),
        },
        "response": {"status": 200, "headers": headers, "body": body},
        "tags": [readable(text)[:60]],
        "metadata": {readable(text): readable(text), "nested": [{readable(text): line}]},
    }
    return json.dumps(sent).encode()


def streamed(text: str) -> str:
    """Each field in a chunk of its own, and the text around them."""
    return "".join(
        (
            chunk(delta(0, role=text), model=text),
            chunk(delta(0, content=text, reasoning_content=text), **{text: text}),
            chunk(delta(0, **call(text, name=text))),
            chunk(delta(0, text)),
            f": {text}\n\ndata: {text}\n\n",
        )
    )


def keep(person: Person, text: str) -> list[UUID]:
    """A whole answer, two streams and what is no answer."""
    whole = json.dumps(answered(text))
    event = f": {text}\nevent: {text}\ndata: {whole}\n\ndata: [DONE]\n\n"
    bodies = (whole, event, streamed(text), text)
    ids = []
    for body in bodies:
        path = f"/api/v1/captures/?{urlencode({'note': readable(text)})}"
        told = person.post(path, envelope(text, readable(body)), ENVELOPE)
        assert told.status == 202, told.body
        ids.append(UUID(told.json["id"]))
    inspect_all()
    return ids


def fill(person: Person, text: str, capture_id: UUID) -> UUID:
    """Names, keys, prices and votes; the id of the vote."""
    name = readable(text)
    Team.objects.filter(pk=person.team.pk).update(name=name[:200])
    guest = User.objects.create_user(name[:150])
    Membership.objects.create(user=guest, team=person.team, role=Role.ADMIN)
    create_api_key(person.team, name[:100])
    prices = team_prices.for_principal(person.principal)
    rates = {TokenKind.PROMPT: Decimal(1)}
    day = date(2026, 11, 1)
    prices.add(Override(name[:100], rates, starts=day, vendor=name[:40], tier=name[:40]))
    sent = {"comment": name[:400], "user_id": name[:100]}
    return voted(person, token_for(person, capture_id), "positive", **sent).id


def paths(route: Route, person: Person, capture_id: UUID, vote: UUID) -> Iterator[str]:
    known = {
        "team": person.team.slug,
        "capture_id": capture_id,
        "vote": vote,
        "choice": 0,
        "part": "content",
    }
    if "slug" in route.arguments:
        for panel in panels.all_panels():
            yield reverse(route.name, kwargs={"capture_id": capture_id, "slug": panel.slug})
    elif "kind" in route.arguments:
        for kind in KINDS:
            yield reverse(route.name, kwargs={"capture_id": capture_id, "kind": kind})
    elif set(route.arguments) <= set(known):
        path = reverse(route.name, kwargs={name: known[name] for name in route.arguments})
        yield path
        if route.name == "dashboard:capture":
            yield from (f"{path}{view}" for view in VIEWS)
        if route.name == "dashboard:find":
            yield f"{path}?q=e"


def read_by(door: AuthMethod) -> list[Route]:
    return [
        r for r in all_routes() if TABLE[r.name].auth_method is door and TABLE[r.name].need("GET")
    ]


def all_paths(door: AuthMethod, person: Person, text: str) -> dict[str, Route]:
    """Each address of a state full of the text, once: not all of them are of one capture."""
    ids = keep(person, text)
    vote = fill(person, text, ids[0])
    return {
        path: route
        for capture_id in ids
        for route in read_by(door)
        for path in paths(route, person, capture_id, vote)
    }


@pytest.fixture(params=HOSTILE_TEXTS)
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_page_has_it_as_text_and_every_file_is_kept_as_one(owner: Person, text: str) -> None:
    pages, browser = all_paths(AuthMethod.PAGE, owner, text), owner.browser()
    looked_at = sum(assert_harmless(browser, path, route) for path, route in pages.items())
    assert looked_at > 60


def assert_harmless(browser: Client, path: str, route: Route) -> bool:
    answer = browser.get(path)
    assert answer.status_code in (200, 204, 302, 400, 404, 422), path
    assert answer["X-Content-Type-Options"] == "nosniff", path
    kind = answer["Content-Type"]
    if kind.startswith("text/html"):
        policy = answer["Content-Security-Policy"]
        assert "script-src 'self'" in policy and "unsafe" not in policy, path
        ElementsAndCitations().feed(answer.content.decode())
        assert not HIDING_CHARACTERS.search(answer.content.decode()), path
    else:
        assert kind in (*HARMLESS, "application/json"), (path, kind)
    if answer.status_code == 200 and route.name.partition(":")[2] in FILES:
        assert answer["Content-Disposition"].startswith("attachment"), path
    return answer.status_code == 200


def test_the_interface_answers_nothing_that_a_browser_would_draw(owner: Person, text: str) -> None:
    for path in all_paths(AuthMethod.KEY, owner, text):
        assert_undrawable(path, owner.get(path))


def assert_undrawable(path: str, answer: Answer) -> None:
    assert answer.status in (200, 404, 422), path
    assert answer.headers["X-Content-Type-Options"] == "nosniff", path
    assert answer.headers["Content-Type"] in (*HARMLESS, "application/json"), path
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"], path
