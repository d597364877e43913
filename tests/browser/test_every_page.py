"""Every page, in every view and with every kind of capture: inert, accessible, to itself."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.db import transaction
from django.urls import get_resolver, reverse
from playwright.sync_api import Page

from inspector.archive import saved_views
from inspector.archive.background.bulk_jobs import BulkJobStatus, request_bulk_job
from inspector.archive.deletion import delete_all
from inspector.archive.intake.submission import Submission
from inspector.archive.listing.filter_params import FilterParams
from inspector.archive.models import BulkKind, Capture, State
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.feedback import allowed_sites
from inspector.feedback.models import TriageState
from inspector.feedback.triage import triage_vote
from inspector.query.parsed_query import FilterTerm, query_string
from inspector.teams.authorisation import TABLE, AuthMethod
from inspector.teams.route_check import routes
from tests.archive.samples import CUT, SSE, accept, accept_arrival, inspect_all, inspected
from tests.browser.watching import (
    OF_COLOURS,
    assert_accessible,
    assert_fits,
    look,
    no_windows,
    only_own_requests,
)
from tests.dashboard.capture.samples import TWO_CHOICES, call, chunk, delta
from tests.dashboard.test_hostile import HOSTILE, everywhere
from tests.feedback.voting import token_for, voted
from tests.people import Person
from tests.sharing.shared import listed, made
from tests.tiers import some_of

VIEWS = (
    "",
    "?choices=markdown&raw=all&timeline=table&logprobs=table",
    "?choices=diff&raw=hex&tool_calls=tree",
    "?raw=tree",
    "lines/",
    "find/?q=e",
    "shares/",
    "session/",
)
OF_A_TEAM = (
    "/t/default/captures/",
    "/t/default/captures/?q=x&verdict=complete",
    "/t/default/views/",
    "/t/default/captures/bulk/",
    "/t/default/status/",
    "/t/default/captures/?tail=1",
    "/t/default/sessions/",
    "/t/default/usage/?range=30d",
    "/t/default/usage/prices/",
    "/t/default/feedback/",
    "/t/default/feedback/?by=finish_reason&range=24h&outcome=negative",
    "/t/default/feedback/settings/",
    "/t/default/team/",
    "/t/default/team/audit/",
    "/t/default/exports/?verdict=cut-off",
    "/t/default/shares/",
    "/t/default/shares/new/?verdict=cut-off",
    "/t/default/redaction/",
    "/t/default/retention/",
    "/t/default/retention/receipts/",
    "/t/default/captures/bulk/deletion/",
    "/t/default/connect/",
    "/t/default/connect/?with=curl",
    "/t/default/connect/?with=vscode",
    "/t/default/upstreams/",
    "/t/default/upstreams/?for=anthropic",
    "/account/",
    "/docs/?q=retry",
    "/docs/rules/",
    "/docs/rules/tool.arguments-truncated/",
    "/paste/",
)
NO_PAGES = {
    "dashboard:home",
    # Looked at by its capture, which leads to it.
    "dashboard:session",
    "dashboard:live",
    "dashboard:counts",
    "dashboard:bulk-count",
    "dashboard:view-tabs",
    "dashboard:key-arrival",
    "dashboard:palette",
    "dashboard:complete",
    "dashboard:feedback-complete",
    "dashboard:usage-table",
    "dashboard:usage-download",
    "dashboard:prices-live",
    "dashboard:feedback-live",
    "dashboard:audio",
    "dashboard:block-audio",
    "dashboard:block-image",
    "dashboard:text",
    "dashboard:state",
    "dashboard:timeline",
    "dashboard:panel",
    "dashboard:timeline-rows",
    "dashboard:trace",
    "dashboard:growth",
    "dashboard:raw",
    "dashboard:fixture",
    "dashboard:export-file",
    "dashboard:client-package",
    "dashboard:browser-file",
    "dashboard:audit-file",
    "dashboard:tree",
    "dashboard:around",
    "dashboard:request-body",
}
"""Addresses that lead to pages, give parts of them, or answer no browser."""
ALL_AT_ONCE = " ".join(HOSTILE)
WIDTHS = (1800, 1600, 1024, 1001, 760, 390)
"""On both sides of where the layout changes. The narrowest comes last, and the next page begins
in it."""


def hostile_stream(person: Person, text: str) -> UUID:
    """Text from outside in every field of a stream, cut in the middle of a chunk's own."""
    reads = [
        chunk(delta(0, role=text), model=text),
        chunk(delta(0, content=text[:7], reasoning_content=text), **{text: text}),
        chunk(delta(0, content=text[7:])),
        chunk(delta(1, **call(text, name=text))),
        chunk(delta(0, text)) + f"event: {text[:30]}\ndata: {text[:30]}\n\n",
    ]
    exchange = Exchange(
        reads=tuple(
            Read(9_000 * n, each.encode("utf-8", "replace")) for n, each in enumerate(reads)
        ),
        content_type=SSE,
        request=Request(method="POST", body=json.dumps({"model": text}).encode()),
    )
    readable = text.encode("utf-8", "replace").decode().replace("\x00", "")
    capture_id = accept_arrival(
        person, Submission(exchange, tags=(readable[:60],), note=readable)
    ).id
    inspect_all()
    return capture_id


def hostile(person: Person, text: str) -> tuple[UUID, UUID]:
    return inspected(person, json.dumps(everywhere(text)).encode()), hostile_stream(person, text)


def streamed(person: Person) -> UUID:
    exchange = Exchange.of_reads([Read(at, text.encode()) for at, text in TWO_CHOICES], SSE)
    capture_id = accept_arrival(person, Submission(exchange)).id
    inspect_all()
    return capture_id


def of_each_kind(person: Person) -> dict[str, UUID]:
    given_up = accept(person)
    Capture.objects.filter(id=given_up).update(
        state=State.QUARANTINED, attempt=3, quarantine_reason="It took over 40 s."
    )
    ids = {"stream": streamed(person), "cut": inspected(person, CUT, SSE)}
    return {
        **ids,
        "everything": inspected(person, json.dumps(everywhere("plain words")).encode()),
        "broken": inspected(person, b'{"choices": [{]'),
        "no response": inspected(person, b"<html>502</html>", "text/html"),
        "given up": given_up,
    }


def addresses(*ids: UUID) -> Iterator[str]:
    yield from OF_A_TEAM
    yield compare(*ids[:2])
    for capture_id in ids:
        yield from (f"/captures/{capture_id}/{view}" for view in VIEWS)


def voted_on(person: Person, capture_id: UUID, text: str = "plain words") -> str:
    """The page of a vote that another one of the same user was before."""
    readable = text.encode("utf-8", "replace").decode().replace("\0", "")
    token = token_for(person, capture_id)
    for outcome in ("positive", "negative"):
        vote = voted(
            person, token, outcome, comment=f"{outcome} {readable}", user_id=readable[:200]
        )
    for outcome in ("negative", "positive"):
        voted(person, token, outcome, user_id=outcome)
    assert allowed_sites.allow_site(person.principal, "https://app.example.org")
    assert triage_vote(person.principal, vote.id, TriageState.OPEN, readable)
    return f"/t/default/feedback/{vote.id}/"


def changed_in_bulk(person: Person, text: str = "plain words") -> str:
    """The page of a change to all captures, and saved views beside it."""
    readable = text.encode("utf-8", "replace").decode().replace("\0", "")
    views = saved_views.for_principal(person.principal)
    for is_team in (False, True):
        assert views.save(readable[:60], "q=x&verdict=complete", is_team=is_team)
    mistaken = [FilterTerm("q", readable[:200]), FilterTerm("no-filter", readable[:200])]
    views.save("not understood", query_string(mistaken), is_team=True)
    found = request_bulk_job(person.principal, BulkKind.TAG, readable[:64], FilterParams())
    assert isinstance(found, BulkJobStatus)
    return f"/t/default/captures/bulk/{found.id}/"


def linked_to(person: Person, capture_id: UUID) -> str:
    """The page of a capture below a link to it."""
    return f"{made(person, capture_id).path}captures/{capture_id}/"


def linked_list(person: Person) -> str:
    return listed(person).path


def delete_one(person: Person, text: str = "plain words") -> None:
    """Leaves a receipt among the deleted captures."""
    readable = text.encode("utf-8", "replace").decode().replace("\0", "")
    with transaction.atomic():
        assert delete_all(person.team.pk, [accept(person)], readable).ids


def compare(*names: object) -> str:
    return f"/captures/compare/?{'&'.join(f'id={name}' for name in names)}"


def test_no_page_is_left_out(owner: Person) -> None:
    capture_id = inspected(owner)
    vote, bulk = voted_on(owner, capture_id), changed_in_bulk(owner)
    looked_at = {urlsplit(path).path for path in (*addresses(capture_id), vote, bulk)}
    for route in routes(get_resolver().url_patterns):
        row = TABLE[route.name]
        if row.auth_method is not AuthMethod.PAGE or not row.need("GET") or route.name in NO_PAGES:
            continue
        known: dict[str, Any] = {
            "team": "default",
            "capture_id": capture_id,
            "vote": vote.split("/")[-2],
            "job": int(bulk.split("/")[-2]),
            "name": "rules",
        }
        path = reverse(route.name, kwargs={name: known[name] for name in route.arguments})
        assert path in looked_at, route.name


@pytest.mark.timeout(900)
def test_what_anybody_wrote_does_nothing_on_any_page(
    owner_page: Page, owner: Person, live_server: Any
) -> None:
    ids = hostile(owner, ALL_AT_ONCE)
    delete_one(owner, ALL_AT_ONCE)
    others = (
        voted_on(owner, ids[0], ALL_AT_ONCE),
        changed_in_bulk(owner, ALL_AT_ONCE),
        *(linked_to(owner, each) for each in ids),
    )
    with no_windows(owner_page), only_own_requests(owner_page, live_server.url):
        for path in some_of((*addresses(*ids), *others), 2):
            look(owner_page, path)
            owner_page.evaluate(
                "for (const fold of document.querySelectorAll('main details')) fold.open = true"
            )
            assert owner_page.evaluate("window.hurt") is None, path
            assert urlsplit(owner_page.url).netloc == urlsplit(live_server.url).netloc


def of_every_kind(person: Person) -> list[str]:
    kinds = of_each_kind(person)
    delete_one(person)
    return [
        voted_on(person, kinds["everything"]),
        changed_in_bulk(person),
        linked_to(person, kinds["everything"]),
        linked_list(person),
        *OF_A_TEAM,
        *(f"/captures/{capture_id}/" for capture_id in kinds.values()),
        *(f"/captures/{kinds['everything']}/{view}" for view in VIEWS[1:]),
        compare(kinds["stream"], kinds["cut"]),
        compare(kinds["everything"], kinds["given up"]),
        compare(f"{kinds['stream']}.0", f"{kinds['stream']}.1"),
        compare(),
    ]


@pytest.mark.timeout(900)
def test_every_page_is_accessible(owner_page: Page, owner: Person) -> None:
    for path in some_of(of_every_kind(owner), 3):
        look(owner_page, path)
        assert_accessible(owner_page)


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_every_page_has_contrast_in_dark(owner_page: Page, owner: Person) -> None:
    owner_page.emulate_media(color_scheme="dark")
    for path in of_every_kind(owner):
        look(owner_page, path)
        assert_accessible(owner_page, runOnly=OF_COLOURS)


@pytest.mark.timeout(900)
def test_no_page_is_wider_than_its_window(owner_page: Page, owner: Person) -> None:
    capture_id = hostile_stream(owner, ALL_AT_ONCE)
    delete_one(owner, ALL_AT_ONCE)
    others = (
        voted_on(owner, capture_id, ALL_AT_ONCE),
        changed_in_bulk(owner, ALL_AT_ONCE),
        linked_to(owner, capture_id),
        linked_list(owner),
    )
    for path in some_of((*addresses(capture_id), *others), 2):
        owner_page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
        look(owner_page, path)
        assert_fits(owner_page, *some_of(WIDTHS, 5))
