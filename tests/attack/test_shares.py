"""Links give nothing beside what they show, to whoever has one or guesses at one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from django.conf import settings
from django.test import Client

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange
from inspector.sharing import shares
from inspector.sharing.models import Share
from inspector.sharing.shares import NewShare
from tests.archive.samples import JSON, WHOLE, accept_arrival, inspect_all
from tests.people import Person, ask, bearer
from tests.sharing.shared import STREAM, below, captured, listed, made, text_of, token_of
from tests.teams.world import all_routes, make_world

SHARED = b"ANSWER-CANARY"
WITHHELD = (b"PROMPT-CANARY", b"NOTE-CANARY", b"TAG-CANARY", b"META-CANARY")
NEIGHBOUR = b"NEIGHBOUR-CANARY"


@dataclass(frozen=True, slots=True)
class Target:
    """A link that withholds a prompt, and a capture beside it that nobody shared."""

    owner: Person
    share: NewShare
    neighbour: str

    @property
    def token(self) -> str:
        return token_of(self.share)

    @property
    def capture(self) -> str:
        return str(self.share.status.capture)


@pytest.fixture
def target(owner: Person) -> Target:
    arrival = Submission(STREAM, ("TAG-CANARY",), "NOTE-CANARY", {"for": "META-CANARY"})
    capture_id = accept_arrival(owner, arrival).id
    beside = Exchange.of_body(WHOLE.replace(b"Hello", NEIGHBOUR), JSON)
    neighbour = accept_arrival(owner, Submission(beside)).id
    inspect_all()
    share = made(owner, capture_id)
    return Target(owner, share, str(neighbour))


def asked(path: str, method: str = "GET", **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Client(raise_request_exception=False).generic(method, path, headers=named)


def page(token: str, below: str = "") -> str:
    return f"/shared/{quote(token, safe='')}/{below}"


GUESSES: dict[str, Callable[[Target], str]] = {
    "made up": lambda it: page("A" * 43),
    "empty": lambda it: "/shared//",
    "nothing": lambda it: "/shared/",
    "one character less": lambda it: page(it.token[:-1]),
    "one character more": lambda it: page(it.token + "A"),
    "the last one changed": lambda it: page(it.token[:-1] + ("B" if it.token[-1] != "B" else "C")),
    "in other cases": lambda it: page(it.token.swapcase()),
    "with a space": lambda it: page(it.token + " "),
    "with a NUL": lambda it: page(it.token + "\0"),
    "with a line end": lambda it: page(it.token + "\r\n"),
    "with a dot": lambda it: page(it.token + "."),
    "with a wildcard": lambda it: page(it.token[:20] + "%"),
    "in wide letters": lambda it: page("".join(chr(ord(c) + 0xFEE0) for c in it.token)),
    "quoted for SQL": lambda it: page("' OR '1'='1"),
    "its stored hash": lambda it: page(Share.objects.get(pk=it.share.status.id).sha256),
    "its number": lambda it: page(str(it.share.status.id)),
    "its capture": lambda it: page(it.capture),
    "the neighbour": lambda it: page(it.neighbour),
    "below it": lambda it: page(it.token, f"captures/{it.neighbour}/"),
    "a part of the neighbour": lambda it: page(it.token, f"captures/{it.neighbour}/raw/"),
    "the neighbour's growth": lambda it: page(it.token, f"captures/{it.neighbour}/growth/"),
    "the neighbour's state": lambda it: page(it.token, f"captures/{it.neighbour}/state/?state=x"),
    "the list": lambda it: page(it.token, "t/default/captures/"),
    "the list's live part": lambda it: page(it.token, "t/default/captures/live/?after=x"),
    "a comparison": lambda it: page(
        it.token, f"captures/compare/?id={it.capture}&id={it.neighbour}"
    ),
    "the API": lambda it: page(it.token, f"api/v1/captures/{it.capture}/"),
    "the request": lambda it: page(it.token, f"captures/{it.capture}/request/"),
    "its links": lambda it: page(it.token, f"captures/{it.capture}/shares/"),
    "signing in": lambda it: page(it.token, "sign-in/"),
    "the documentation": lambda it: page(it.token, "docs/"),
    "the static files": lambda it: page(it.token, "static/dashboard/style.css"),
    "itself below itself": lambda it: page(it.token, page(it.token)[1:]),
    "another form": lambda it: f"/shared/{it.token}.json",
    "up and down": lambda it: page(it.token, f"../../captures/{it.neighbour}/"),
    "as an invitation": lambda it: f"/join/{it.token}/",
    "as a sign-in link": lambda it: f"/sign-in/{it.token}/",
}


def test_what_is_not_the_link_opens_nothing(target: Target, subtests: pytest.Subtests) -> None:
    for guess, address in GUESSES.items():
        with subtests.test(guess):
            response = asked(address(target))
            assert SHARED not in response.content and NEIGHBOUR not in response.content
            # The form of a sign-in link is shown for any: only sending it tells whether it is one.
            assert response.status_code in (301, 404, 410) or guess == "as a sign-in link"
            assert Share.objects.get(pk=target.share.status.id).views == 0


REUSES: dict[str, Callable[[Target], Any]] = {
    "as a key of the API": lambda it: ask(
        "GET", f"/api/v1/captures/{it.capture}/", headers=bearer(it.token)
    ),
    "as a key of links": lambda it: ask("GET", "/api/v1/shares/", headers=bearer(it.token)),
    "as a key that sends": lambda it: ask(
        "POST", "/api/v1/captures/", WHOLE, headers=bearer(it.token)
    ),
    "as a vote": lambda it: ask(
        "POST", "/v1/feedback", b'{"feedback_token":"%s","outcome":"positive"}' % it.token.encode()
    ),
    "as a vote on a team": lambda it: ask(
        "GET", f"/t/default/v1/feedback?feedback_token={it.token}&user_id=u"
    ),
    "in the query of a capture": lambda it: ask("GET", f"/captures/{it.capture}/?token={it.token}"),
    "to revoke itself": lambda it: ask(
        "POST", f"/t/default/shares/{it.share.status.id}/revoke/", b"", "text/plain"
    ),
}


@pytest.mark.parametrize("reuse", REUSES)
def test_the_token_is_worth_nothing_elsewhere(target: Target, reuse: str) -> None:
    answer = REUSES[reuse](target)
    assert answer.status in (302, 400, 401, 403, 404)
    assert SHARED not in answer.body
    assert Share.objects.get(pk=target.share.status.id).revoked_at is None


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_another_method_does_nothing_and_tells_nothing(target: Target, method: str) -> None:
    own, unknown = asked(target.share.path, method), asked(page("A" * 43), method)
    deletion = asked(page(target.token, f"captures/{target.capture}/delete/"), method)
    assert own.status_code == unknown.status_code == deletion.status_code == 405
    assert own.content == unknown.content == deletion.content
    assert Share.objects.get(pk=target.share.status.id).views == 0


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {}),
        ("?capture=NEIGHBOUR", {}),
        ("?id=NEIGHBOUR&without=", {}),
        ("?without_prompt=false&prompt=0", {}),
        ("?panel=raw&raw=request", {}),
        ("?list=q%3DNEIGHBOUR-CANARY", {}),
        ("", {"X_HTTP_Method_Override": "DELETE"}),
        ("", {"Range": "bytes=0-10"}),
        ("", {"If_None_Match": "*"}),
        ("", {"If_Modified_Since": "Fri, 01 Jan 2100 00:00:00 GMT"}),
        ("", {"Accept": "application/json"}),
        ("", {"X_Forwarded_For": "203.0.113.9"}),
        ("", {"X_Script_Name": "/elsewhere"}),
        ("", {"Referer": "https://elsewhere.example/"}),
    ],
)
def test_however_it_is_asked_for_it_is_this_page_and_one_view(
    target: Target, query: str, headers: dict[str, str]
) -> None:
    path = page(target.token, f"captures/{target.capture}/")
    response = asked(path + query.replace("NEIGHBOUR", target.neighbour), **headers)
    assert response.status_code == 200 and SHARED in response.content
    assert NEIGHBOUR not in response.content
    assert f"captures/{target.neighbour}".encode() not in response.content
    assert not [text for text in WITHHELD if text in response.content]
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["Cache-Control"] == "private, no-store"
    assert Share.objects.get(pk=target.share.status.id).views == 1


@pytest.mark.parametrize(
    "headers", [{}, {"If_None_Match": "*"}, {"Cache_Control": "only-if-cached"}]
)
def test_what_was_revoked_is_gone_for_whoever_had_it(
    target: Target, headers: dict[str, str]
) -> None:
    path = page(target.token, f"captures/{target.capture}/timeline.json")
    assert asked(path).status_code == 200
    shares.for_principal(target.owner.principal).revoke(target.share.status.id)
    again = asked(path, **headers)
    assert again.status_code == 404 and SHARED not in again.content


def test_a_link_is_no_session_and_opens_no_address_beside_its_own(db: None) -> None:
    """Every address, asked with the token in each place where a program or a browser has one."""
    world = make_world()
    side = world.sides["ours"]
    token = side.tokens["dashboard:shared"]
    opened = []
    for route in all_routes():
        path = side.path(route)
        client = Client(raise_request_exception=False)
        client.cookies[settings.SESSION_COOKIE_NAME] = token
        answer = client.get(f"{path}?token={token}&share={token}", headers=bearer(token))
        if b"Hello" in answer.content or b"chat.completion" in answer.content:
            opened.append(route.name)
    public = {"dashboard:shared", "dashboard:shared-page", "api:schema", "api:docs"}
    assert set(opened) <= public


def test_a_link_names_the_host_of_the_installation_whoever_is_asked(owner: Person) -> None:
    client = owner.browser()
    form = {"days": "7"}
    path = f"/captures/{captured(owner)}/shares/"
    response = client.post(path, form, headers={"Host": "localhost", "X-Forwarded-Host": "evil.x"})
    assert b"http://127.0.0.1:8000/shared/" in response.content
    assert b"evil.x" not in response.content


def test_another_site_makes_no_link(owner: Person) -> None:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(owner.user)
    path = f"/captures/{captured(owner)}/shares/"
    assert client.post(path, {"days": "7"}).status_code == 403
    assert not Share.objects.exists()


ODD_PROMPTS = {
    "in a name": b'{"messages":[{"role":"user","name":"CANARY","content":"x"}]}',
    "in a role": b'{"messages":[{"role":"CANARY","content":"x"}]}',
    "in metadata": b'{"messages":[],"metadata":{"CANARY":"CANARY"}}',
    "in a user": b'{"messages":[],"user":"CANARY"}',
    "in a stop": b'{"messages":[],"stop":["CANARY"]}',
    "in a format": b'{"messages":[],"response_format":{"type":"json_schema","json_schema":'
    b'{"name":"CANARY","strict":true,"schema":{"type":"object","required":["CANARY"],'
    b'"properties":{"CANARY":{"type":"string"}},"additionalProperties":false}}}}',
    "in the model": b'{"messages":[],"model":"CANARY"}',
    "in no JSON": b"CANARY",
    "in a cut": b'{"messages":[{"role":"user","content":"CANARY',
    "in a tool choice": b'{"messages":[],"tool_choice":{"type":"function","function":'
    b'{"name":"CANARY"}}}',
    "in instructions": b'{"input":"CANARY","instructions":"CANARY"}',
}


@pytest.mark.parametrize("place", ODD_PROMPTS)
def test_nothing_of_a_withheld_prompt_shows_wherever_it_stands(owner: Person, place: str) -> None:
    assert STREAM.request is not None
    request = msgspec.structs.replace(
        STREAM.request, body=ODD_PROMPTS[place], url="https://llm.example/CANARY?key=CANARY"
    )
    capture_id = captured(owner, msgspec.structs.replace(STREAM, request=request))
    for share in (made(owner, capture_id), listed(owner)):
        for part in ("", below(capture_id), below(capture_id, "panels/raw/?raw=all")):
            text = text_of(share, part)
            for own in ("ANSWER-", "ARGUMENT-", "EXTRA-"):
                text = text.replace(f"{own}CANARY", "")
            assert "CANARY" not in text
