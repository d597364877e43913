"""The authorisation table: for each route and method the scope or role it requires.

Every view checks it before anything else, and the tests go through it. A route without a row, or a
row without a route, fails the start (``inspector.teams.route_check``).

The rows of the pages stand here. Those of the API stand beside its addresses (``api.urls``).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from django.conf import settings
from django.http import HttpRequest

from inspector.teams.access import (
    DELETE,
    EXPORT,
    FEEDBACK,
    INGEST,
    MANAGE,
    OWN,
    READ,
    Principal,
    ShareAccess,
)

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

# No principal is needed: a token in the address or the form decides.
ANYBODY = "anybody"
ANY_SCOPE = "any scope"
"""Open to whoever was let in, whatever they may do."""

FORM_BYTES = 64 * 1024
"""Bytes read of anybody; a larger form only of whoever signed in (`dashboard.middleware`)."""


class AuthMethod(Enum):
    """How a caller authenticates: not at all, by key, by session, or by the operator's key."""

    OPEN = auto()
    KEY = auto()
    PAGE = auto()
    OPERATOR = auto()


class SharedPart(Enum):
    """The part of a capture that a page shows: a link always opens those of the response, those of
    the request only where it is with the prompt.
    """

    RESPONSE = auto()
    REQUEST = auto()


class AccessDecision(Enum):
    ALLOWED = auto()
    FORBIDDEN = auto()
    MISSING = auto()


@dataclass(frozen=True, slots=True)
class AuthorisationRow:
    """One row: for each method a scope, ``ANY_SCOPE`` or ``ANYBODY``; other methods are refused."""

    route: str
    auth_method: AuthMethod
    needs: Mapping[str, str]
    form_bytes: int = FORM_BYTES
    """The largest body of a page's form. The API has its own limit."""
    shared: SharedPart | None = None
    """None: no link opens it."""

    def need(self, method: str | None) -> str | None:
        return self.needs.get("GET" if method == "HEAD" else method or "")

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(method for method in METHODS if self.need(method))


def _open(route: str, *methods: str) -> AuthorisationRow:
    return AuthorisationRow(route, AuthMethod.OPEN, dict.fromkeys(methods, ANYBODY))


def _page(route: str, **needs: str) -> AuthorisationRow:
    return AuthorisationRow(route, AuthMethod.PAGE, needs)


def _upload(route: str, **needs: str) -> AuthorisationRow:
    """Return a page that takes bodies; without scripts it hands them back in base64."""
    return AuthorisationRow(
        route, AuthMethod.PAGE, needs, settings.MAX_BODY_BYTES * 4 // 3 + FORM_BYTES
    )


def _shared(part: SharedPart, route: str) -> AuthorisationRow:
    """Return a page that a link opens, too."""
    return AuthorisationRow(route, AuthMethod.PAGE, {"GET": READ}, shared=part)


PAGE_ROWS = (
    _open("dashboard:sign-in", "GET", "POST"),
    _open("dashboard:sign-in-link", "GET", "POST"),
    _open("dashboard:sign-out", "POST"),
    _open("dashboard:join", "GET", "POST"),
    _open("dashboard:shared", "GET"),
    _open("dashboard:shared-page", "GET"),
    _open("dashboard:client-package", "GET"),
    _open("dashboard:browser-file", "GET"),
    _page("dashboard:account", GET=ANY_SCOPE),
    _page("dashboard:account-name", POST=ANY_SCOPE),
    _page("dashboard:account-password", POST=ANY_SCOPE),
    _page("dashboard:account-end-sessions", POST=ANY_SCOPE),
    _page("dashboard:team", GET=READ),
    _page("dashboard:audit", GET=OWN),
    _page("dashboard:audit-file", GET=OWN),
    _page("dashboard:audit-settings", POST=OWN),
    _page("dashboard:team-name", POST=OWN),
    _page("dashboard:team-leave", POST=READ),
    _page("dashboard:member-role", POST=MANAGE),
    _page("dashboard:member-remove", POST=MANAGE),
    _page("dashboard:invite", POST=MANAGE),
    _page("dashboard:invitation-withdraw", POST=MANAGE),
    _page("dashboard:new-key", POST=MANAGE),
    _page("dashboard:key-arrival", GET=READ),
    _page("dashboard:key-revoke", POST=MANAGE),
    _page("dashboard:key-pause", POST=MANAGE),
    _page("dashboard:key-streams", POST=MANAGE),
    _page("dashboard:connect", GET=READ),
    _page("dashboard:connect-key", POST=MANAGE),
    _page("dashboard:upstreams", GET=READ),
    _page("dashboard:upstream-add", POST=MANAGE),
    _page("dashboard:upstream-resource", POST=MANAGE),
    _page("dashboard:upstream-change", POST=MANAGE),
    _page("dashboard:upstream-turn", POST=MANAGE),
    _page("dashboard:upstream-remove", POST=MANAGE),
    _page("dashboard:home", GET=ANY_SCOPE),
    _page("dashboard:docs", GET=ANY_SCOPE),
    _page("dashboard:doc", GET=ANY_SCOPE),
    _page("dashboard:archive", GET=READ),
    _page("dashboard:live", GET=READ),
    _page("dashboard:samples", POST=INGEST),
    _page("dashboard:counts", GET=READ),
    _page("dashboard:complete", GET=READ),
    _page("dashboard:tag", POST=INGEST),
    _page("dashboard:bulk", GET=READ),
    _page("dashboard:bulk-count", GET=READ),
    _page("dashboard:bulk-deletion", GET=DELETE, POST=DELETE),
    _page("dashboard:bulk-job", GET=READ),
    _page("dashboard:bulk-undo", POST=INGEST),
    _page("dashboard:exports", GET=EXPORT),
    _page("dashboard:export-request", POST=EXPORT),
    _page("dashboard:export-file", GET=EXPORT),
    _page("dashboard:export-delete", POST=EXPORT),
    _page("dashboard:shares", GET=EXPORT),
    _page("dashboard:share-list", GET=EXPORT, POST=EXPORT),
    _page("dashboard:share-revoke", POST=EXPORT),
    _page("dashboard:redaction", GET=READ),
    _page("dashboard:redaction-add", POST=MANAGE),
    _page("dashboard:redaction-turn", POST=MANAGE),
    _page("dashboard:redaction-remove", POST=MANAGE),
    _page("dashboard:redaction-try", POST=MANAGE),
    _page("dashboard:redaction-apply", POST=DELETE),
    _page("dashboard:retention", GET=READ),
    _page("dashboard:receipts", GET=READ),
    _page("dashboard:retention-add", POST=MANAGE),
    _page("dashboard:retention-turn", POST=MANAGE),
    _page("dashboard:retention-remove", POST=MANAGE),
    _page("dashboard:palette", GET=READ),
    _page("dashboard:views", GET=READ),
    _page("dashboard:view-tabs", GET=READ),
    _page("dashboard:view-save", POST=INGEST),
    _page("dashboard:view-rename", POST=INGEST),
    _page("dashboard:view-share", POST=INGEST),
    _page("dashboard:view-delete", POST=INGEST),
    _page("dashboard:compare-selected", POST=READ),
    _page("dashboard:picked", POST=READ),
    _page("dashboard:compare", GET=ANY_SCOPE),
    _shared(SharedPart.RESPONSE, "dashboard:capture"),
    _shared(SharedPart.RESPONSE, "dashboard:audio"),
    _shared(SharedPart.RESPONSE, "dashboard:block-audio"),
    _shared(SharedPart.RESPONSE, "dashboard:block-image"),
    _shared(SharedPart.RESPONSE, "dashboard:text"),
    _page("dashboard:tags", POST=INGEST),
    _page("dashboard:note", POST=INGEST),
    _page("dashboard:delete", POST=DELETE),
    _shared(SharedPart.RESPONSE, "dashboard:find"),
    _shared(SharedPart.RESPONSE, "dashboard:state"),
    _shared(SharedPart.RESPONSE, "dashboard:growth"),
    _shared(SharedPart.RESPONSE, "dashboard:timeline"),
    _shared(SharedPart.RESPONSE, "dashboard:panel"),
    _shared(SharedPart.RESPONSE, "dashboard:timeline-rows"),
    _shared(SharedPart.RESPONSE, "dashboard:trace"),
    _shared(SharedPart.RESPONSE, "dashboard:lines"),
    _shared(SharedPart.RESPONSE, "dashboard:raw"),
    _page("dashboard:fixture", GET=READ),
    _page("dashboard:capture-shares", GET=EXPORT, POST=EXPORT),
    _shared(SharedPart.RESPONSE, "dashboard:tree"),
    _shared(SharedPart.RESPONSE, "dashboard:around"),
    _shared(SharedPart.REQUEST, "dashboard:request-body"),
    _page("dashboard:sessions", GET=READ),
    _page("dashboard:session", GET=READ),
    _page("dashboard:session-of-capture", GET=READ),
    _page("dashboard:usage", GET=READ),
    _page("dashboard:usage-table", GET=READ),
    _page("dashboard:usage-download", GET=READ),
    _page("dashboard:prices", GET=READ),
    _page("dashboard:prices-live", GET=READ),
    _page("dashboard:price-add", POST=MANAGE),
    _page("dashboard:price-end", POST=MANAGE),
    _page("dashboard:reprice", POST=MANAGE),
    _page("dashboard:feedback", GET=READ),
    _page("dashboard:feedback-complete", GET=READ),
    _page("dashboard:feedback-live", GET=READ),
    _page("dashboard:feedback-triage", POST=FEEDBACK),
    _page("dashboard:feedback-vote", GET=READ),
    _page("dashboard:feedback-settings", GET=MANAGE),
    _page("dashboard:new-site", POST=MANAGE),
    _page("dashboard:site-remove", POST=MANAGE),
    _page("dashboard:keys-rotate", POST=MANAGE),
    _page("dashboard:keys-revoke", POST=MANAGE),
    _page("dashboard:feedback-token", POST=FEEDBACK),
    _page("dashboard:feedback-token-revoke", POST=FEEDBACK),
    _page("dashboard:vote", POST=FEEDBACK),
    _page("dashboard:status", GET=READ),
    _page("dashboard:retry", POST=INGEST),
    _upload("dashboard:paste", GET=READ, POST=READ),
    _upload("dashboard:paste-store", POST=INGEST),
)

TABLE = {row.route: row for row in PAGE_ROWS}
"""Complete when the routes are known: ``inspector.urls`` adds the rows of the API."""


def declare_rows(rows: Iterable[AuthorisationRow]) -> None:
    TABLE.update({row.route: row for row in rows})


def row_of(request: HttpRequest) -> AuthorisationRow:
    match = request.resolver_match
    assert match is not None, "a view is reached by its address only"
    return TABLE[match.view_name]


def decide_access(principal: Principal, need: str, team: str | None = None) -> AccessDecision:
    """Decide whether a principal has what a route needs, in the team that the address names.

    Where it names none, any of the principal's teams suffices here; the query for the object then
    decides by the object's own team.
    """
    if need in (ANYBODY, ANY_SCOPE):
        return AccessDecision.ALLOWED
    within = principal if team is None else principal.within(team)
    if within is None or not within.teams:
        return AccessDecision.MISSING
    return AccessDecision.ALLOWED if within.may(need) else AccessDecision.FORBIDDEN


def is_shared(share: ShareAccess, row: AuthorisationRow, method: str | None) -> bool:
    """Decide whether a link opens a page; it is never written by."""
    is_shown = share.has_prompt or row.shared is not SharedPart.REQUEST
    return row.shared is not None and is_shown and method in ("GET", "HEAD")
