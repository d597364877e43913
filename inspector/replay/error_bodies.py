"""Errors as the providers of each format send them, written for tests of what clients do then."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from inspector.core.wire.exchange import Headers

Body = dict[str, object]
JSON = "application/json"
WORDS = {
    400: "The request is not valid.",
    401: "The API key is not valid.",
    402: "The credit balance is too low.",
    403: "The API key may not use this resource.",
    404: "The model does not exist, or you have no access to it.",
    408: "The request timed out.",
    409: "The request conflicts with another one.",
    413: "The request is too large.",
    422: "The request could not be processed.",
    429: "Rate limit reached for requests.",
    500: "The server had an error while processing your request.",
    502: "Bad gateway.",
    503: "The service is unavailable.",
    504: "The request took too long.",
    529: "Overloaded.",
}
_OPENAI = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    402: ("insufficient_quota", "insufficient_quota"),
    403: ("permission_error", None),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
}
_ANTHROPIC = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_GOOGLE = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_AWS = {
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    429: "ThrottlingException",
    503: "ServiceUnavailableException",
}


class ErrorAnswer(msgspec.Struct, frozen=True):
    headers: Headers
    body: bytes


def error_answer(dialect: str | None, status: int) -> ErrorAnswer:
    """The error of the format with this slug; that of OpenAI for all formats that share its shape,
    and where the format is not known.
    """
    value = _BODIES.get(dialect or "", _openai)(status)
    headers = [("content-type", JSON)]
    if dialect == "bedrock-converse":
        headers.append(("x-amzn-errortype", _aws_type(status)))
    return ErrorAnswer(tuple(headers), msgspec.json.encode(value))


def words_of(status: int) -> str:
    return WORDS.get(status) or WORDS[500 if status >= 500 else 400]


def _openai(status: int) -> Body:
    type_, code = _OPENAI.get(status, ("server_error" if status >= 500 else _OPENAI[400][0], None))
    return {"error": {"message": words_of(status), "type": type_, "param": None, "code": code}}


def _anthropic(status: int) -> Body:
    type_ = _ANTHROPIC.get(status, "api_error" if status >= 500 else "invalid_request_error")
    error = {"type": type_, "message": words_of(status)}
    return {"type": "error", "error": error, "request_id": "req_replayed"}


def _gemini(status: int) -> Body:
    name = _GOOGLE.get(status, "INTERNAL" if status >= 500 else "INVALID_ARGUMENT")
    return {"error": {"code": status, "message": words_of(status), "status": name}}


def _ollama(status: int) -> Body:
    return {"error": words_of(status)}


def _message(status: int) -> Body:
    return {"message": words_of(status)}


def _aws_type(status: int) -> str:
    return _AWS.get(status, "InternalServerException" if status >= 500 else "ValidationException")


_BODIES: dict[str, Callable[[int], Body]] = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": _ollama,
    "cohere": _message,
    "bedrock-converse": _message,
}
