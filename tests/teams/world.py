"""Two teams with everything that an address can name, and everybody who may ask."""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from importlib import import_module
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.db import transaction
from django.test import Client
from django.test.client import ClientHandler
from django.urls import get_resolver, reverse
from django.utils import timezone

from inspector.archive import redaction_rules, saved_views
from inspector.archive.background import retention_rules
from inspector.archive.background.bulk_jobs import BulkJobStatus, request_bulk_job
from inspector.archive.background.retention_rules import RetentionRuleStatus
from inspector.archive.intake.submission import Submission
from inspector.archive.listing.filter_params import FilterParams
from inspector.archive.models import BulkKind, RetentionClock
from inspector.archive.redaction_rules import RedactionRuleStatus
from inspector.archive.saved_views import ViewEntry
from inspector.core.redaction_mark import MaskKind
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.dashboard.connect.client_packages import node_package
from inspector.feedback import allowed_sites
from inspector.feedback.casting import Ballot, CastVote, VoteAddress, cast_vote
from inspector.feedback.issue_tokens import issue_token
from inspector.sessions.models import Turn
from inspector.sharing import shares
from inspector.sharing.shares import NewShare, ShareTerms
from inspector.teams import team_upstreams
from inspector.teams.access import (
    CAPTURE,
    DELETE,
    EXPORT,
    FEEDBACK,
    INGEST,
    MANAGE,
    OWN,
    READ,
)
from inspector.teams.invitations import invite
from inspector.teams.keys import create_api_key, revoke
from inspector.teams.models import ApiKey, Invitation, Membership, Role, User
from inspector.teams.route_check import Route, routes
from inspector.teams.sign_in_links import create_link
from inspector.transfer.exports import exports, steps
from inspector.transfer.exports.exports import ExportStatus
from inspector.usage.cost import team_prices
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from inspector.work.run import run_one
from tests.archive.samples import SSE, STREAM, WHOLE, accept_arrival, inspect_all
from tests.people import JSON, Person, make_person
from tests.transfer.uploads.waiting import upload_of

OURS, THEIRS = "ours", "theirs"
PASSWORD = "a long way from common"
FORM = "application/x-www-form-urlencoded"

RIGHTS: dict[str, frozenset[str]] = {
    "viewer": frozenset({READ}),
    "member": frozenset({READ, INGEST, FEEDBACK, EXPORT}),
    "admin": frozenset({READ, INGEST, FEEDBACK, DELETE, EXPORT, MANAGE}),
    "owner": frozenset({READ, INGEST, FEEDBACK, DELETE, EXPORT, MANAGE, OWN}),
}
"""Said again on purpose: the code must not be asked what it should do."""

BODIES: dict[str, tuple[bytes, str]] = {
    "api:captures": (WHOLE, JSON),
    "api:batch": (b'{"response":{"body":"{}"}}\n', "application/x-ndjson"),
    "api:traces": (b'{"resourceSpans":[]}', JSON),
    "api:otlp-metrics": (b'{"resourceMetrics":[]}', JSON),
    "api:otlp-logs": (b'{"resourceLogs":[]}', JSON),
    "api:capture": (b'{"note":"seen"}', JSON),
    "api:inspect": (WHOLE, JSON),
    "api:bulk": (b'{"action":"tag","tag":"seen"}', JSON),
    "api:bulk-deletion": (b'{"confirm_captures":0}', JSON),
    "api:bulk-redaction": (b'{"confirm_captures":0}', JSON),
    "api:redaction-rules": (b'{"kind":"word","text":"Nightjar"}', JSON),
    "api:redaction-rule": (b'{"is_on":true}', JSON),
    "api:redaction-dry-run": (b"{}", JSON),
    "api:exports": (b'{"format":"csv"}', JSON),
    "api:capture-shares": (b'{"expires_in":60}', JSON),
    "api:shares": (b'{"expires_in":60}', JSON),
    "api:retention-rules": (b'{"clock":"bodies","days":30}', JSON),
    "api:retention-rule": (b'{"is_on":true}', JSON),
    "api:views": (b'{"name":"Another"}', JSON),
    "api:vote": (b'{"feedback_token":"fb_world_0","outcome":"positive"}', JSON),
    "api:vote-of-team": (b'{"feedback_token":"fb_nobody","outcome":"positive"}', JSON),
    "api:feedback-token": (b'{"expires_in":60}', JSON),
    "api:feedback-vote": (b'{"state":"resolved"}', JSON),
    "mcp:messages": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_captures"}}',
        JSON,
    ),
    "dashboard:sign-in": (f"username=owner&password={PASSWORD}".encode(), FORM),
    "dashboard:join": (b"name=somebody-new", FORM),
    "dashboard:account-name": (b"name=somebody-renamed", FORM),
    "dashboard:account-password": (f"new={PASSWORD}&again={PASSWORD}".encode(), FORM),
    "dashboard:tags": (b"tags=seen", FORM),
    "dashboard:note": (b"note=seen", FORM),
    "dashboard:delete": (b"confirm=yes", FORM),
    "dashboard:team-name": (b"name=Renamed", FORM),
    "dashboard:tag": (b"act=add&tag=seen", FORM),
    "dashboard:picked": (
        b"then=export&capture=00000000-0000-7000-8000-00000000dead",
        FORM,
    ),
    "dashboard:view-save": (b"name=Another", FORM),
    "dashboard:view-rename": (b"name=Renamed", FORM),
    "dashboard:member-role": (b"role=member", FORM),
    "dashboard:invite": (b"role=viewer&days=7", FORM),
    "dashboard:feedback-triage": (b"state=resolved", FORM),
    "dashboard:feedback-token": (b"days=1", FORM),
    "dashboard:vote": (b"outcome=positive", FORM),
    "dashboard:new-site": (b"origin=https://app.example.org", FORM),
    "dashboard:keys-revoke": (f"confirm={OURS}".encode(), FORM),
    "dashboard:new-key": (b"name=billing&scopes=read&days=", FORM),
    "dashboard:connect-key": (b"name=billing&way=package", FORM),
    "dashboard:key-pause": (b"paused=yes", FORM),
    "dashboard:key-streams": (b"max_streams=7", FORM),
    "dashboard:upstream-add": (b"name=another&address=https://llm.example", FORM),
    "dashboard:upstream-resource": (b"template=azure&resource=contoso", FORM),
    "dashboard:upstream-change": (b"address=https://llm.example&sample_percent=7", FORM),
    "dashboard:upstream-turn": (b"on=no", FORM),
    "dashboard:bulk-deletion": (b"number=0", FORM),
    "dashboard:export-request": (b"format=csv", FORM),
    "dashboard:capture-shares": (b"days=7", FORM),
    "dashboard:share-list": (b"days=7", FORM),
    "dashboard:redaction-add": (b"what=word&text=Nightjar", FORM),
    "dashboard:redaction-turn": (b"on=yes", FORM),
    "dashboard:redaction-try": (b"rule=all&query=", FORM),
    "dashboard:redaction-apply": (b"rule=all&query=model:nothing", FORM),
    "dashboard:retention-add": (b"clock=captures&query=result:error&days=30", FORM),
    "dashboard:retention-turn": (b"on=yes", FORM),
    "dashboard:audit-settings": (b"days=120", FORM),
    "dashboard:price-add": (b"model=gpt-4o&match=exact&starts=2026-11-01&rate_prompt=1", FORM),
    "dashboard:price-end": (b"day=2026-12-01", FORM),
    "dashboard:reprice": (b"first=2026-11-01&last=2026-11-02", FORM),
}
"""Bodies that are sent to routes that want more than their address."""

MISSING: dict[str, Any] = {
    "slug": "nothing",
    "name": "nothing",
    "kind": "nothing",
    "team": "nowhere",
    "capture_id": uuid.UUID("00000000-0000-7000-8000-00000000dead"),
    "member": 10**9,
    "invitation": 10**9,
    "key": 10**9,
    "price": 10**9,
    "upstream": "nowhere",
    "site": 10**9,
    "vote": uuid.UUID("00000000-0000-7000-8000-00000000beef"),
    "session": uuid.UUID("00000000-0000-7000-8000-00000000feed"),
    "job": 10**9,
    "export": 10**9,
    "upload": 10**9,
    "share": 10**9,
    "rule": 10**9,
    "redaction": 10**9,
    "view": 10**9,
}
"""Values that name nothing, for everything that an address can name."""

_NOISE = re.compile(
    rb'[0-9a-f]{32}|name="csrfmiddlewaretoken" value="[A-Za-z0-9]{64}"|"X-CSRFToken": "[^"]*"'
)
_HEADERS = {"content-type", "location", "allow", "cache-control", "www-authenticate", "etag"}


SPOKEN = STREAM.replace(
    b'"content":"lo"',
    b'"content":[{"type":"text","text":"lo"},{"type":"image","b64_json":"iVBORw0KGgo="}],'
    b'"audio":{"data":"QUJD"}',
)


@dataclass(frozen=True, slots=True)
class Asker:
    """``team``: where they belong; ``rights``: what they may do there."""

    name: str
    team: str | None = None
    rights: frozenset[str] = frozenset()
    session: str | None = None
    key: str | None = None
    key_works: bool = False
    link: str = ""
    """The address of the share by which every page is asked for."""
    has_prompt: bool = False
    handler: ClientHandler = field(default_factory=partial(ClientHandler, False))
    """One for all its questions: each would set up the middleware anew."""

    def ask(self, method: str, path: str, body: bytes = b"", content_type: str = "") -> Any:
        """Asked as if nobody had asked before: whatever changed is as it was afterwards."""
        client = Client(raise_request_exception=False)
        client.handler = self.handler
        if self.session:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.session
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        with transaction.atomic():
            response = client.generic(
                method, f"{self.link}{path}", body, content_type, headers=headers
            )
            transaction.set_rollback(True)
        return response


@dataclass(frozen=True, slots=True)
class Side:
    """One team's share of the world, by the names that stand in addresses."""

    values: dict[str, Any]
    tokens: dict[str, str] = field(default_factory=dict)

    def path(self, route: Route, **other: Any) -> str:
        tokens = {"token": self.tokens[route.name]} if route.name in self.tokens else {}
        known = {**self.values, **tokens, **other}
        return reverse(route.name, kwargs={name: known[name] for name in route.arguments})


@dataclass(frozen=True, slots=True)
class World:
    sides: Mapping[str, Side]
    askers: Mapping[str, Asker]


def all_routes() -> list[Route]:
    return list(routes(get_resolver().url_patterns))


def make_world() -> World:
    ours = {role: make_person(str(role), OURS, role) for role in Role}
    sven = make_person("sven", THEIRS, Role.OWNER)
    ours[Role.OWNER].user.set_password(PASSWORD)
    ours[Role.OWNER].user.save()
    sides = {OURS: side_of(ours[Role.OWNER]), THEIRS: side_of(sven)}
    askers = [
        Asker("anonymous"),
        Asker("no team", session=session_of(User.objects.create_user("nora"))),
        Asker("other team's owner", THEIRS, RIGHTS["owner"], session=session_of(sven.user)),
        keyed("other team's key", sven, THEIRS),
        *(Asker(str(role), OURS, RIGHTS[role], session_of(who.user)) for role, who in ours.items()),
        *keys_of(ours[Role.OWNER]),
        *visitors_of(ours[Role.OWNER], sides[OURS].values["capture_id"]),
    ]
    return World(sides, {asker.name: asker for asker in askers})


def keys_of(owner: Person) -> list[Asker]:
    past = timezone.now() - timedelta(seconds=1)
    revoked = create_api_key(owner.team, "revoked")
    revoke(ApiKey.objects.get(name="revoked"))
    sender = create_api_key(owner.team, "sender")
    wrong = create_api_key(owner.team, "wrong scope", [FEEDBACK])
    capturing = create_api_key(owner.team, "capturing", [CAPTURE])
    expired = create_api_key(owner.team, "expired", expires_at=past)
    return [
        Asker("key", OURS, frozenset({INGEST, READ}), key=sender, key_works=True),
        keyed("deleting key", owner, OURS),
        Asker("wrong-scope key", OURS, frozenset({FEEDBACK}), key=wrong, key_works=True),
        Asker("capturing key", OURS, frozenset({CAPTURE}), key=capturing, key_works=True),
        Asker("revoked key", OURS, key=revoked),
        Asker("expired key", OURS, key=expired),
        Asker("feedback token", OURS, key=feedback_token(owner)),
        Asker("share token", OURS, key=token_of(share_of(owner, answered(owner)))),
    ]


def visitors_of(owner: Person, capture_id: UUID) -> list[Asker]:
    """Return visitors that have a link, without the prompt and with it, or one to a list."""
    whole = share_of(owner, capture_id, without_prompt=False)
    everything = shares.for_principal(owner.principal).share_list(FilterParams(), ShareTerms())
    assert isinstance(everything, NewShare)
    return [
        Asker("visitor", OURS, link=share_of(owner, capture_id).path.rstrip("/")),
        Asker("visitor with prompt", OURS, link=whole.path.rstrip("/"), has_prompt=True),
        Asker("visitor of a list", OURS, link=everything.path.rstrip("/")),
    ]


def keyed(name: str, person: Person, team: str) -> Asker:
    return Asker(
        name, team, frozenset({INGEST, READ, DELETE, EXPORT}), key=person.key, key_works=True
    )


def side_of(owner: Person) -> Side:
    access = owner.principal.teams[0]
    path = invite(owner.principal, access, Role.VIEWER, timedelta(days=1))
    assert path is not None
    guest = make_person(f"guest of {owner.team.slug}", owner.team.slug, Role.VIEWER)
    capture_id = answered(owner)
    share = share_of(owner, capture_id)
    values = {
        "team": owner.team.slug,
        "capture_id": capture_id,
        "path": f"captures/{capture_id}/",
        "slug": "raw",
        "name": "times",
        "kind": "har",
        "file_name": node_package().file_name,
        "module": "index.js",
        "choice": 0,
        "block": 2,
        "image": 1,
        "vote": vote_of(owner),
        "site": site_of(owner),
        "part": "content",
        "member": Membership.objects.get(user=guest.user).pk,
        "invitation": Invitation.objects.get(team=owner.team).pk,
        "key": capture_key_of(owner),
        "upstream": upstream_of(owner),
        "price": priced(owner),
        "job": bulk_job_of(owner),
        "export": export_of(owner),
        "upload": upload_of(owner),
        "share": share.status.id,
        "rule": rule_of(owner),
        "redaction": redaction_of(owner),
        "view": view_of(owner),
        "session": Turn.objects.get(capture=capture_id).session_id,
    }
    tokens = {
        "dashboard:join": path.split("/")[-2],
        "dashboard:sign-in-link": create_link(guest.user).split("/")[-2],
        "dashboard:shared": token_of(share),
        "dashboard:shared-page": token_of(share),
    }
    return Side(values, tokens)


def priced(owner: Person) -> int:
    """A price of the team's own."""
    door = team_prices.for_principal(owner.principal)
    door.add(Override("gpt-4o", {TokenKind.PROMPT: Decimal(1)}, starts=date(2026, 11, 1)))
    return door.all()[0].id


def bulk_job_of(owner: Person) -> int:
    found = request_bulk_job(owner.principal, BulkKind.TAG, "seen", FilterParams())
    assert isinstance(found, BulkJobStatus)
    return found.id


def export_of(owner: Person) -> int:
    """A finished export, with a file to fetch."""
    found = exports.for_principal(owner.principal).request("jsonl", FilterParams())
    assert isinstance(found, ExportStatus)
    while run_one(steps.KIND):
        pass
    return found.id


def share_of(owner: Person, capture_id: UUID, *, without_prompt: bool = True) -> NewShare:
    """An open link to a capture."""
    terms = ShareTerms(without_prompt=without_prompt)
    found = shares.for_principal(owner.principal).share_capture(capture_id, terms)
    assert isinstance(found, NewShare)
    return found


def token_of(share: NewShare) -> str:
    return share.path.split("/")[-2]


def rule_of(owner: Person) -> int:
    """A retention rule, switched off."""
    found = retention_rules.add_rule(owner.principal, RetentionClock.CAPTURES, "result:error", 30)
    assert isinstance(found, RetentionRuleStatus)
    return found.id


def redaction_of(owner: Person) -> int:
    """A redaction rule, switched off."""
    found = redaction_rules.add_redaction_rule(owner.principal, MaskKind.PRESET, "iban")
    assert isinstance(found, RedactionRuleStatus)
    return found.id


def view_of(owner: Person) -> int:
    """A view of the team."""
    door = saved_views.for_principal(owner.principal)
    found = door.save(f"Seen by {owner.team.slug}", "tag=seen", is_team=True)
    assert isinstance(found, ViewEntry)
    return found.id


def answered(owner: Person) -> UUID:
    """A capture with all that an address may ask of one: a stream, its speech and its request."""
    asked = Request(method="POST", url="https://api.example.org/v1", body=b"{}")
    stream = Exchange(reads=(Read(None, SPOKEN),), content_type=SSE, request=asked)
    capture_id = accept_arrival(owner, Submission(stream)).id
    inspect_all()
    return capture_id


def feedback_token(owner: Person) -> str:
    issued = issue_token(owner.principal, answered(owner), 0)
    assert issued is not None
    return issued.token


def vote_of(owner: Person) -> UUID:
    token = feedback_token(owner)
    found = cast_vote(VoteAddress(owner.team.pk), Ballot(token, "negative", "CANARY"))
    assert isinstance(found, CastVote)
    return found.id


def capture_key_of(owner: Person) -> int:
    create_api_key(owner.team, "checkout", [CAPTURE])
    return ApiKey.objects.get(team=owner.team, name="checkout").pk


def upstream_of(owner: Person) -> str:
    """An upstream of the team's own, under a name that the other team has not."""
    name = f"llm-{owner.team.slug}"
    refusal = team_upstreams.for_principal(owner.principal).add(name, "https://llm.example")
    assert refusal is None
    return name


def site_of(owner: Person) -> int:
    assert allowed_sites.allow_site(owner.principal, "https://listed.example.org")
    (site,) = allowed_sites.allowed_origins(owner.principal)
    return site.id


def session_of(user: User) -> str:
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def told(response: Any, *said: Any) -> tuple[int, dict[str, str], bytes]:
    """All that an answer tells, without what differs at every request and what was asked for."""
    names = sorted({str(value) for value in said}, key=len, reverse=True)
    headers = {
        name: without(value, names)
        for name, value in response.headers.items()
        if name.lower() in _HEADERS
    }
    body = _NOISE.sub(b"", response.content).decode(errors="replace")
    return response.status_code, headers, without(body, names).encode()


def without(text: str, names: list[str]) -> str:
    for name in names:
        text = text.replace(name, "…")
    return text
