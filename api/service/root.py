"""The description of this installation: limits, versions, links and filters."""

from math import ceil

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import resolve, reverse
from django.views.decorators.csrf import csrf_exempt
from rest_framework.request import Request

from api.endpoint import Endpoint
from api.operation import ResponseBody, operation
from api.responses import error_response, json_response, status_error
from inspector.archive.intake import exchange_envelope
from inspector.archive.intake.limits import (
    MAX_TAGS,
    METADATA_CHARACTERS,
    NOTE_CHARACTERS,
    TAG_CHARACTERS,
)
from inspector.archive.intake.wait_for_inspection import MAX_WAIT_SECONDS
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.member_types import Count, Url
from inspector.archive.queries import MAX_PAGE_ROWS
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.json.document import MAX_TOKENS
from inspector.core.json.parser import MAX_DEPTH, MAX_DIGITS
from inspector.feedback.issue_tokens import LONGEST_SECONDS as LONGEST_SECONDS_OF_TOKEN
from inspector.feedback.models import COMMENT_CHARACTERS
from inspector.query.resolve import abbreviated
from inspector.teams.guards import open_to_all
from inspector.version import VERSION


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of this installation. A rate of 0 means that there is no limit."""

    batch_bytes: Count
    batch_lines: Count
    body_bytes: Count
    envelope_depth: Count
    envelope_digits: Count
    envelope_headers: Count
    envelope_tokens: Count
    metadata_bytes: Count
    note_characters: Count
    page_rows: Count
    requests_per_second: Count
    comment_characters: Count
    feedback_token_seconds: Count
    tag_characters: Count
    tags: Count
    vote_bytes: Count
    votes_per_second: Count
    wait_bytes: Count
    wait_seconds: Count


class Versions(msgspec.Struct, frozen=True):
    """Versions of the API, of the analysis and of the product."""

    api: str
    analysis: Count
    product: str


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """Addresses of the main endpoints, and the content type of an exchange envelope. `proxy` is
    what the addresses of captured calls begin with; null where no proxy runs.
    """

    captures: Url
    batch: Url
    schema: Url
    docs: Url
    inspect: Url
    feedback: Url
    vote: Url
    envelope: str
    proxy: Url | None


class ServiceDescription(msgspec.Struct, frozen=True, kw_only=True):
    """Limits, versions, list filters and links. `filters` names the allowed values of each filter
    of the capture list; null stands for any text.
    """

    limits: Limits
    versions: Versions
    filters: dict[str, tuple[str, ...] | None]
    links: Links


class RootEndpoint(Endpoint):
    @operation(
        "describe_service",
        "get limits, versions, filters and links",
        ResponseBody("the description", ServiceDescription),
    )
    def get(self, request: Request) -> HttpResponse:
        return json_response(
            ServiceDescription(
                limits=_limits(),
                versions=Versions(api="v1", analysis=ANALYSIS_VERSION, product=VERSION),
                filters=_filters(),
                links=_links(),
            )
        )


@csrf_exempt
@open_to_all
def not_found_page(request: HttpRequest) -> HttpResponse:
    with_slash = f"{request.path}/"
    if resolve(with_slash).view_name == "api:nothing-here":
        return status_error(request, 404)
    message = f"the last slash is missing: {abbreviated(with_slash)}"
    return error_response(request, 404, "not_found", message)


def _limits() -> Limits:
    return Limits(
        batch_bytes=settings.MAX_BATCH_BYTES,
        batch_lines=settings.MAX_BATCH_LINES,
        body_bytes=settings.MAX_BODY_BYTES,
        envelope_depth=MAX_DEPTH,
        envelope_digits=MAX_DIGITS,
        envelope_headers=exchange_envelope.MAX_HEADERS,
        envelope_tokens=MAX_TOKENS,
        metadata_bytes=METADATA_CHARACTERS,
        note_characters=NOTE_CHARACTERS,
        page_rows=MAX_PAGE_ROWS,
        requests_per_second=ceil(settings.REQUESTS_PER_SECOND or 0),
        comment_characters=COMMENT_CHARACTERS,
        feedback_token_seconds=LONGEST_SECONDS_OF_TOKEN,
        tag_characters=TAG_CHARACTERS,
        tags=MAX_TAGS,
        vote_bytes=settings.MAX_VOTE_BYTES,
        votes_per_second=ceil(settings.VOTES_PER_SECOND or 0),
        wait_bytes=settings.MAX_WAIT_BYTES,
        wait_seconds=MAX_WAIT_SECONDS,
    )


def _filters() -> dict[str, tuple[str, ...] | None]:
    """All values of each filter; None where senders and providers may make new ones."""
    return {name: CAPTURE_FIELDS.allowed_values(name) for name in CAPTURE_FIELDS.parameter_names()}


def _links() -> Links:
    return Links(
        captures=_url("captures"),
        batch=_url("batch"),
        schema=_url("schema"),
        docs=_url("docs"),
        inspect=_url("inspect"),
        feedback=_url("feedback"),
        vote=_url("vote"),
        envelope=exchange_envelope.MEDIA_TYPE,
        proxy=f"{settings.PROXY_ORIGIN}/proxy/" if settings.PROXY_ORIGIN else None,
    )


def _url(name: str) -> str:
    return f"{settings.ORIGIN}{reverse(f'api:{name}')}"
