"""Parameters of the request that an answer is checked against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from inspector.core.completion import Json, list_or_empty
from inspector.core.json import parser
from inspector.core.wire.exchange import Request

AUTO_TIERS = ("auto", "standard_only", "")
"""Values of ``service_tier`` that leave the choice to the provider."""
JSON_FORMATS = ("json_object", "json_schema")
REQUIRED = ("required", "any")
"""Values of ``tool_choice`` that ask for a call of any tool (OpenAI, Mistral)."""
TOKEN_LIMITS = ("max_completion_tokens", "max_tokens")


class ToolChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What the request says of calls. ``names`` are the only tools that it allows, none if it
    allows all that it offers.
    """

    offers_tools: bool = False
    is_forbidden: bool = False
    is_required: bool = False
    names: frozenset[str] = frozenset()
    allows_parallel: bool = True


class RequestParams(msgspec.Struct, frozen=True, kw_only=True):
    """``model`` is None if the body names none; Azure, for one, names it in the URL."""

    model: str | None = None
    choices: int = 1
    """Number of choices that the request asks for, in a legacy completion for all its prompts."""
    is_streamed: bool = False
    wants_usage: bool = False
    """``stream_options.include_usage`` is set."""
    wants_json: bool = False
    answer_schema: Json = None
    """The schema that every answer must match, None unless the request gives a strict one."""
    tier: str | None = None
    """The requested service tier, None if the request leaves it to the provider."""
    names_tier: bool = False
    """The request sets a service tier, be it ``auto``."""
    seed: int | None = None
    token_limit: int | None = None
    """The most tokens of one choice."""
    tool_choice: ToolChoice = ToolChoice()


def parse_request_body(request: Request | None) -> Mapping[str, Json] | None:
    """Parse the request's body. None if it is unknown or not a JSON object. Linear in its
    length.
    """
    if request is None or not request.body:
        return None
    body = parser.parse_json(request.body).value
    return body if isinstance(body, dict) else None


def parse_request_params(body: Mapping[str, Json] | None) -> RequestParams | None:
    """Read the parameters. One that is missing or of a wrong type counts as its default."""
    if body is None:
        return None
    model, tier = body.get("model"), body.get("service_tier")
    names_tier = isinstance(tier, str) and bool(tier)
    return RequestParams(
        model=model if isinstance(model, str) and model else None,
        choices=(_count(body.get("n")) or 1) * _prompts(body.get("prompt")),
        is_streamed=body.get("stream") is True,
        wants_usage=_member(body.get("stream_options"), "include_usage") is True,
        wants_json=_member(body.get("response_format"), "type") in JSON_FORMATS,
        answer_schema=_strict_schema(body.get("response_format")),
        tier=tier if names_tier and tier not in AUTO_TIERS else None,
        names_tier=names_tier,
        seed=_integer(body.get("seed")),
        token_limit=next(filter(None, (_count(body.get(name)) for name in TOKEN_LIMITS)), None),
        tool_choice=_tool_choice(body),
    )


def _integer(value: Json) -> int | None:
    return value if value.__class__ is int else None


def _count(value: Json) -> int | None:
    return value if value.__class__ is int and value > 0 else None


def _member(value: Json, *names: str) -> Json:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _prompts(prompt: Json) -> int:
    """Number of prompts of a legacy completion: a list of texts, or of lists of tokens, is many."""
    if not isinstance(prompt, list) or not prompt:
        return 1
    return len(prompt) if isinstance(prompt[0], str | list) else 1


def _strict_schema(shape: Json) -> Json:
    if (
        _member(shape, "type") != "json_schema"
        or _member(shape, "json_schema", "strict") is not True
    ):
        return None
    schema = _member(shape, "json_schema", "schema")
    return schema if isinstance(schema, dict) else None


def _tool_choice(body: Mapping[str, Json]) -> ToolChoice:
    """Read ``tool_choice``, or the deprecated ``function_call``."""
    chosen = body.get("tool_choice", body.get("function_call"))
    names = frozenset(_chosen_names(chosen))
    mode = _member(chosen, "allowed_tools", "mode") if isinstance(chosen, dict) else chosen
    is_named = bool(names) and _member(chosen, "type") != "allowed_tools"
    return ToolChoice(
        offers_tools=bool(list_or_empty(body.get("tools")) or list_or_empty(body.get("functions"))),
        is_forbidden=mode == "none",
        is_required=is_named or (isinstance(mode, str) and mode in REQUIRED),
        names=names,
        allows_parallel=body.get("parallel_tool_calls") is not False,
    )


def _chosen_names(chosen: Json) -> Iterator[str]:
    """Yield the tools that ``tool_choice`` names: one, or a list of those that are allowed."""
    entries = [chosen, *list_or_empty(_member(chosen, "allowed_tools", "tools"))]
    for entry in entries:
        bodies = (_member(entry, "function"), _member(entry, "custom"), entry)
        names = (_member(body, "name") for body in bodies)
        name = next((name for name in names if isinstance(name, str) and name), None)
        if name is not None:
            yield name
