"""What this installation takes and speaks."""

from __future__ import annotations

from math import ceil

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework.request import Request
from rest_framework.views import APIView

from api import envelope, shapes
from api.answers import answer
from api.ballots import COMMENT_CHARACTERS
from api.errors import of_status
from api.openapi.operations import service as operations
from api.parameters import parameters
from inspector.archive.conditions import MANY, ONCE, vocabulary
from inspector.archive.intake import MAX_TAGS, METADATA_CHARACTERS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.archive.queries import MAX_PAGE_ROWS
from inspector.archive.waiting import LONGEST_SECONDS
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.json_text import MAX_DEPTH, MAX_DIGITS
from inspector.feedback.issuing import LONGEST_SECONDS as LONGEST_SECONDS_OF_TOKEN
from inspector.teams.doors import open_to_all


class Root(APIView):
    @operations.root
    def get(self, request: Request) -> HttpResponse:
        parameters(request)
        return answer(
            {"limits": _limits(), "versions": _versions(), "filters": _filters(), "links": _links()}
        )


@csrf_exempt
@open_to_all
def nothing_here(request: HttpRequest) -> HttpResponse:
    return of_status(request, 404)


def _limits() -> dict[str, int]:
    return {
        "batch_bytes": settings.MAX_BATCH_BYTES,
        "batch_lines": settings.MAX_BATCH_LINES,
        "body_bytes": settings.MAX_BODY_BYTES,
        "envelope_depth": MAX_DEPTH,
        "envelope_digits": MAX_DIGITS,
        "envelope_tokens": envelope.MAX_TOKENS,
        "metadata_bytes": METADATA_CHARACTERS,
        "note_characters": NOTE_CHARACTERS,
        "page_rows": MAX_PAGE_ROWS,
        "requests_per_second": ceil(settings.REQUESTS_PER_SECOND or 0),
        "comment_characters": COMMENT_CHARACTERS,
        "feedback_token_seconds": LONGEST_SECONDS_OF_TOKEN,
        "tag_characters": TAG_CHARACTERS,
        "tags": MAX_TAGS,
        "vote_bytes": settings.MAX_VOTE_BYTES,
        "votes_per_second": ceil(settings.VOTES_PER_SECOND or 0),
        "wait_bytes": settings.MAX_WAIT_BYTES,
        "wait_seconds": LONGEST_SECONDS,
    }


def _filters() -> dict[str, list[str] | None]:
    """All values of a name; null where there are more than anybody can list."""
    known = {name: vocabulary(name) for name in (*MANY, *ONCE)}
    return {name: None if found is None else list(found) for name, found in known.items()}


def _versions() -> dict[str, int | str]:
    return {"api": "v1", "analysis": ANALYSIS_VERSION}


def _links() -> dict[str, str]:
    base = f"{settings.ORIGIN}{shapes.BASE}"
    return {
        "captures": f"{base}captures/",
        "batch": f"{base}captures/batch/",
        "schema": f"{settings.ORIGIN}/api/schema/",
        "docs": f"{settings.ORIGIN}/api/docs/",
        "inspect": f"{base}inspect/",
        "feedback": f"{base}feedback/",
        "vote": f"{settings.ORIGIN}/v1/feedback",
        "envelope": envelope.MEDIA_TYPE,
    }
