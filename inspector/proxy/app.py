"""The proxy as an ASGI application, without a framework: few addresses, and bytes that pass."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import uuid6
from yarl import URL

from inspector.core.wire.completion_paths import is_completion
from inspector.core.wire.exchange import TransportOutcome
from inspector.logs.line_format import fields
from inspector.proxy import cross_origin
from inspector.proxy.asgi import Receive, ResponseCut, Scope, Send
from inspector.proxy.call import CallOutcome, ForwardedCall, UpstreamRequest
from inspector.proxy.call_figures import CallFigures, ProxyRoute
from inspector.proxy.grants import Grants
from inspector.proxy.headers import (
    RawHeader,
    are_utf8,
    as_text,
    has_body,
    has_unknown_coding,
    is_websocket,
    to_upstream,
    value_of,
)
from inspector.proxy.labels import Labels, labels_of, with_capture
from inspector.proxy.limits import ProxyLimits
from inspector.proxy.messages import CallBegun, Grant, Refusal
from inspector.proxy.open_calls import OpenCalls
from inspector.proxy.own_answers import (
    NO_PAGES,
    NO_UPGRADE,
    NO_UTF8,
    OF_FAULTS,
    OF_REFUSALS,
    TOO_MANY_STREAMS,
    UNKNOWN_CODING,
    OwnError,
    answer,
    answer_error,
)
from inspector.proxy.page_guard import guarded, is_for_page
from inspector.proxy.route import KEY_HEADER, PREFIX, route_of
from inspector.proxy.status_pages import StatusPages
from inspector.proxy.tee import CallTee, Tee
from inspector.proxy.upstream_connector import Upstreams, url_of

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AdmittedRequest:
    """A request with a key that may go to its upstream."""

    id: UUID
    began_at: float
    method: str
    headers: Sequence[RawHeader]
    url: URL
    grant: Grant
    origin: str | None
    """That of a page, where the team lists it."""

    @property
    def capture_url(self) -> str:
        return f"{self.grant.captures_url}{self.id}/"


@dataclass(frozen=True, slots=True)
class ProxyApp:
    limits: ProxyLimits
    grants: Grants
    tee: Tee
    upstreams: Upstreams
    calls: OpenCalls
    pages: StatusPages
    figures: CallFigures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # As it was sent: decoded, an escaped slash would be another path at the upstream.
        path = scope["raw_path"].decode("ascii")
        if not path.startswith(PREFIX):
            began_at = time.time()
            status = await self.pages.show(path, scope["headers"], send)
            self._count_own("page", status, began_at, ProxyRoute.STATUS)
            return
        with self.calls.request():
            await self._answer(path, scope, receive, guarded(send, scope["headers"]))

    async def _answer(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        began_at, request_id = time.time(), uuid6.uuid7()
        admitted = await self._admit(request_id, began_at, scope, path)
        if isinstance(admitted, OwnError):
            await answer_error(send, admitted, request_id)
            self._count_own(admitted.code, admitted.status, began_at)
            _log(request_id, scope["method"], None, admitted.code, admitted.status, began_at)
        else:
            await self._serve(admitted, receive, send)

    async def _admit(
        self, request_id: UUID, began_at: float, scope: Scope, path: str
    ) -> AdmittedRequest | OwnError:
        headers = list(scope["headers"])
        # Before the key is looked up, which may cost a round trip to the database.
        if (refusal := _refusal_of(headers)) is not None:
            return refusal
        route = route_of(path, value_of(KEY_HEADER, headers))
        if isinstance(route, Refusal):
            return OF_REFUSALS[route]
        grant = await self.grants.find(route)
        if isinstance(grant, Refusal):
            return OF_REFUSALS[grant]
        return AdmittedRequest(
            id=request_id,
            began_at=began_at,
            method=scope["method"],
            headers=headers,
            url=url_of(grant.base_url, route.rest, scope["query_string"].decode("ascii")),
            grant=grant,
            origin=cross_origin.origin_of(grant, headers),
        )

    async def _serve(self, asked: AdmittedRequest, receive: Receive, send: Send) -> None:
        if asked.origin and cross_origin.is_preflight(asked.method, asked.headers):
            headers = cross_origin.preflight_headers(asked.origin, asked.headers)
            await answer(send, 204, headers)
            self._count_own("preflight", 204, asked.began_at)
        elif not self.calls.admits(asked.grant):
            await _answer_own(asked, TOO_MANY_STREAMS, send)
            self._count_own(TOO_MANY_STREAMS.code, TOO_MANY_STREAMS.status, asked.began_at)
        else:
            await self._forward(asked, receive, send)

    async def _forward(self, asked: AdmittedRequest, receive: Receive, send: Send) -> None:
        headers, labels = to_upstream(asked.headers), labels_of(asked.headers)
        request = UpstreamRequest(
            session=self.upstreams.session(asked.grant.is_local),
            method=asked.method,
            url=asked.url,
            headers=headers,
            has_body=has_body(asked.headers),
        )
        tee = self._begin_tee(asked, headers, labels)
        capture_url = asked.capture_url if tee is not None and labels.returns_capture else None
        call = ForwardedCall(request, receive, send, tee, self.limits, asked.origin, capture_url)
        with self.calls.count(call, asked.grant.key_id):
            ended = await call.run()
        self._count(asked, call, ended)
        _log(
            asked.id,
            asked.method,
            asked.grant.upstream,
            ended.outcome,
            ended.status,
            asked.began_at,
        )
        await _conclude(asked, ended, send, capture_url)

    def _count(self, asked: AdmittedRequest, call: ForwardedCall, ended: CallOutcome) -> None:
        is_one = is_completion(asked.method, asked.url.raw_path)
        route = ProxyRoute.COMPLETION if is_one else ProxyRoute.OTHER
        status = ended.status
        if status is None and ended.fault in OF_FAULTS:
            status = OF_FAULTS[ended.fault].status
        seconds = time.time() - asked.began_at
        self.figures.ended(route, ended.outcome, status or 0, seconds)
        self.figures.forwarded(
            route, call.first_byte_seconds, call.request_bytes, call.response_bytes
        )

    def _count_own(
        self, outcome: str, status: int, began_at: float, route: ProxyRoute = ProxyRoute.OWN
    ) -> None:
        self.figures.ended(route, outcome, status, time.time() - began_at)

    def _begin_tee(
        self, asked: AdmittedRequest, headers: Sequence[RawHeader], labels: Labels
    ) -> CallTee | None:
        grant = asked.grant
        if not (grant.keeps_other or is_completion(asked.method, asked.url.raw_path)):
            self.tee.pass_other(grant.team_id)
            return None
        if grant.is_paused:
            self.tee.pass_paused(grant.team_id)
            return None
        return self.tee.begin(
            CallBegun(
                call=asked.id,
                team_id=grant.team_id,
                key_id=grant.key_id,
                upstream=grant.upstream,
                session=grant.session,
                sample_percent=grant.sample_percent,
                started_at=asked.began_at,
                method=asked.method,
                url=str(asked.url),
                headers=as_text(headers),
                tags=labels.tags,
                metadata=labels.metadata,
            )
        )


def _refusal_of(headers: Sequence[RawHeader]) -> OwnError | None:
    """Return why a request cannot be forwarded as it is, whoever sends it; None if it can."""
    if is_websocket(headers):
        return NO_UPGRADE
    if is_for_page(headers):
        return NO_PAGES
    if has_unknown_coding(headers):
        return UNKNOWN_CODING
    return None if are_utf8(headers) else NO_UTF8


async def _conclude(
    asked: AdmittedRequest, ended: CallOutcome, send: Send, capture_url: str | None
) -> None:
    """Send what the caller still gets of a call that did not end with its response."""
    if ended.outcome in (TransportOutcome.ENDED, TransportOutcome.CLIENT_CANCELLED):
        return
    # Where a status went out already, only a broken connection tells the caller that the answer
    # is not whole.
    if ended.fault is None or ended.status is not None:
        raise ResponseCut
    await _answer_own(asked, OF_FAULTS[ended.fault], send, capture_url)


async def _answer_own(
    asked: AdmittedRequest, error: OwnError, send: Send, capture_url: str | None = None
) -> None:
    headers = cross_origin.response_headers(asked.origin) if asked.origin else []
    if capture_url is not None:
        headers = with_capture(headers, capture_url)
    await answer_error(send, error, asked.id, headers)


def _log(
    request: UUID,
    method: str,
    upstream: str | None,
    outcome: str,
    status: int | None,
    began_at: float,
) -> None:
    """One line for a request. Never its address: a key may stand in it."""
    took_ms = round((time.time() - began_at) * 1000, 1)
    _LOGGER.info(
        "request",
        extra=fields(
            request=str(request),
            method=method,
            upstream=upstream,
            outcome=outcome,
            status=status,
            ms=took_ms,
        ),
    )
