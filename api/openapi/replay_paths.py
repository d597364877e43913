"""Describes the replay addresses, which the proxy answers: each option is a parameter of both."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from api.openapi.components import Schema, ref
from api.operations.operation import JSON
from inspector.replay.options import OPTIONS, ReplayOption

TAG = "replay"
_TARGETS = {
    "/replay/{capture_id}/{rest}": (
        "replay_capture",
        "answer any request as a capture was answered",
        {"capture_id": ("id of the capture", {"type": "string", "format": "uuid"})},
    ),
    "/replay/set/{captures}/{rest}": (
        "replay_set",
        "answer a request by the capture of a set that fits it best",
        {
            "captures": (
                "tag:<tag>, or parameters of the capture list, such as tag=checkout&model=gpt-5",
                {"type": "string"},
            )
        },
    ),
}
_REST = {"rest": ("path that the client library adds to its base address", {"type": "string"})}
_ABOUT = (
    "Every method is answered alike, with a key of the scope `replay`, which may stand in"
    " `Authorization`, `x-api-key`, `api-key`, `x-goog-api-key`, `X-Inspector-Key` or `?key=`."
    " Each option may stand in the query, in a header that begins with `X-Inspector-Replay-`, or"
    " behind the target in the path, such as `;speed=0;cut-event=7`."
)
_ERRORS = {
    401: "the API key is missing or not valid",
    403: "the API key lacks the scope replay, or a browser wants to load the answer as a page",
    404: "no such capture, or no answer of the set fits; then the nearest is named",
    409: "the capture has no response, or is not inspected and an option goes by events",
    413: "the request is larger than what is read of one",
    422: "an option or a set that cannot be met; the message tells what can",
    429: "the key has too many replays open, or asks too often; retry after Retry-After",
    503: "temporarily unavailable; retry after Retry-After",
}


def replay_paths() -> dict[str, Schema]:
    return {path: {"post": _operation(*about)} for path, about in _TARGETS.items()}


def _operation(name: str, summary: str, places: dict[str, tuple[str, Schema]]) -> Schema:
    found = {
        "operationId": name,
        "summary": summary,
        "description": _ABOUT,
        "tags": [TAG],
        "security": [{"key": []}],
        "parameters": [*_in_path({**places, **_REST}), *map(_in_query, OPTIONS)],
        "responses": dict(_responses()),
    }
    if settings.PROXY_ORIGIN:
        found["servers"] = [{"url": settings.PROXY_ORIGIN}]
    return found


def _in_path(places: dict[str, tuple[str, Schema]]) -> Iterator[Schema]:
    for name, (about, schema) in places.items():
        yield {"in": "path", "name": name, "required": True, "description": about, "schema": schema}


def _in_query(option: ReplayOption) -> Schema:
    schema: Schema = {"type": "string"}
    if option.default:
        schema["default"] = option.default
    found: Schema = {
        "in": "query",
        "name": option.name,
        "description": f"{option.about} It may be {option.bounds}.",
        "schema": {"type": "array", "items": schema} if option.is_repeatable else schema,
    }
    return found


def _responses() -> Iterator[tuple[str, Schema]]:
    yield "default", {"description": "the stored answer: its own status, headers and bytes"}
    for status, about in _ERRORS.items():
        yield str(status), {"description": about, "content": {JSON: {"schema": ref("ErrorBody")}}}
