"""The three who ask at every door: two of one team, one of another."""

import json
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from django.test import Client

from inspector.teams.access import DELETE, EXPORT, INGEST, READ, Principal, for_key, for_user
from inspector.teams.keys import create_api_key
from inspector.teams.models import Membership, Role, Team, User

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Answer:
    """Response that came back, with its JSON where it is that."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])


@dataclass(frozen=True, slots=True)
class Person:
    user: User
    team: Team
    key: str
    _cookies: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def principal(self) -> Principal:
        """As somebody signed in."""
        return for_user(self.user)

    @property
    def service(self) -> Principal:
        """As the service that has this person's key."""
        principal = for_key(self.key)
        assert principal is not None
        return principal

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        return self.ask("GET", path, b"", "", headers)

    def post(
        self,
        path: str,
        body: bytes,
        content_type: str = JSON,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        return self.ask("POST", path, body, content_type, headers)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        content_type: str = JSON,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        return ask(method, path, body, content_type, {**bearer(self.key), **(headers or {})})

    def browser(self) -> Client:
        """Another tab of one session: to sign in costs more than most pages do."""
        if not self._cookies:
            signed_in = self.elsewhere().cookies.items()
            self._cookies.update({name: each.value for name, each in signed_in})
        client = Client()
        client.cookies.load(self._cookies)
        return client

    def elsewhere(self) -> Client:
        """One that is signed in by a session of its own."""
        client = Client()
        client.force_login(self.user)
        return client

    def page(self, path: str, **asked: Any) -> str:
        """A page that this person sees."""
        answer = self.browser().get(path, **asked)
        assert answer.status_code == 200
        return str(answer.content.decode())


def ask(
    method: str,
    path: str,
    body: bytes = b"",
    content_type: str = JSON,
    headers: dict[str, str] | None = None,
) -> Answer:
    """A request as it is, with no key of its own."""
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)
    # A stream that ends like a connection: whatever length was announced, no more comes.
    wire: dict[str, Any] = {"wsgi.input": BytesIO(body)}
    response = client.generic(method, path, body, content_type, headers=headers or {}, **wire)
    return Answer(response.status_code, dict(response.headers), b"".join(response))


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def make_person(name: str, team_slug: str, role: Role) -> Person:
    team, _ = Team.objects.get_or_create(slug=team_slug, defaults={"name": team_slug.title()})
    user = User.objects.create_user(name)
    Membership.objects.create(user=user, team=team, role=role)
    key = create_api_key(team, f"{name}'s service", [INGEST, READ, DELETE, EXPORT])
    return Person(user, team, key)
