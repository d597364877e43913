"""Parameters of the request that an answer is checked against."""

from collections.abc import Iterator, Mapping

import msgspec

from inspector.core.completion import list_or_empty
from inspector.core.json import Json, parser
from inspector.core.tool_calls.tool_definitions import as_json_schema, offered_tools
from inspector.core.wire.exchange import Request

AUTO_TIERS = ("auto", "standard_only", "")
"""Values of ``service_tier`` that leave the choice to the provider."""
JSON_FORMATS = ("json_object", "json_schema")
REQUIRED = ("required", "any")
"""Words that ask for a call of any tool."""
TOKEN_LIMITS = (
    ("max_completion_tokens",),
    ("max_tokens",),
    ("max_output_tokens",),
    ("max_tokens_to_sample",),
    ("generationConfig", "maxOutputTokens"),
    ("options", "num_predict"),
    ("inferenceConfig", "maxTokens"),
)
"""Places of the most tokens that a choice may have, in all formats."""
ANSWER_FORMATS = (
    ("response_format",),
    ("text", "format"),
    ("output_format",),
    ("output_config", "format"),
)
"""Places of the object that says which format the text of the answer has."""


class ToolChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What the request says of calls. ``names`` are the only tools allowed; none: all offered."""

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
    wants_logprobs: bool = False
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
    """Return the request's body in linear time; None if unknown or no JSON object."""
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
        choices=_choices(body),
        is_streamed=body.get("stream") is True,
        wants_usage=_member(body.get("stream_options"), "include_usage") is True,
        wants_logprobs=body.get("logprobs") is True or _count(body.get("logprobs")) is not None,
        wants_json=_wants_json(body),
        answer_schema=_strict_schema(body),
        tier=tier if names_tier and tier not in AUTO_TIERS else None,
        names_tier=names_tier,
        seed=_integer(body.get("seed")),
        token_limit=next(filter(None, (_count(_member(body, *at)) for at in TOKEN_LIMITS)), None),
        tool_choice=_tool_choice(body),
    )


def _integer(value: Json) -> int | None:
    return value if value.__class__ is int else None


def _count(value: Json) -> int | None:
    return value if value.__class__ is int and value > 0 else None


def _member(value: Mapping[str, Json] | Json, *names: str) -> Json:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _choices(body: Mapping[str, Json]) -> int:
    asked = _count(body.get("n")) or _count(_member(body, "generationConfig", "candidateCount"))
    return (asked or 1) * _prompts(body.get("prompt"))


def _wants_json(body: Mapping[str, Json]) -> bool:
    shapes = (_member(body, *at, "type") for at in ANSWER_FORMATS)
    of_ollama = body.get("format")
    return (
        any(isinstance(shape, str) and shape in JSON_FORMATS for shape in shapes)
        or _member(body, "generationConfig", "responseMimeType") == "application/json"
        or of_ollama == "json"
        or isinstance(of_ollama, dict)
    )


def _prompts(prompt: Json) -> int:
    """Return the number of prompts of a legacy completion: lists of texts or of tokens are many."""
    if not isinstance(prompt, list) or not prompt:
        return 1
    return len(prompt) if isinstance(prompt[0], str | list) else 1


def requested_schema(body: Mapping[str, Json]) -> Json:
    """Return the schema that the request gives for its answer, promised or wished; None without."""
    shapes = (_member(body, *at) for at in ANSWER_FORMATS)
    held = (_member(shape, "json_schema", "schema") or _member(shape, "schema") for shape in shapes)
    return next((it for it in held if isinstance(it, dict) and it), None) or _strict_schema(body)


def _strict_schema(body: Mapping[str, Json]) -> Json:
    """Return the schema that the provider promises to hold; None if it only is a wish."""
    found = next((it for it in _strict_schemas(body) if isinstance(it, dict)), None)
    return found or None


def _strict_schemas(body: Mapping[str, Json]) -> Iterator[Json]:
    for at in ANSWER_FORMATS:
        shape = _member(body, *at)
        if _member(shape, "type") != "json_schema":
            continue
        if _member(shape, "json_schema", "strict") is True:
            yield _member(shape, "json_schema", "schema")
        elif _member(shape, "strict") is True or at[0].startswith("output"):
            yield _member(shape, "schema")
    of_gemini = _member(body, "generationConfig")
    yield as_json_schema(_member(of_gemini, "responseSchema"))
    yield _member(of_gemini, "responseJsonSchema")
    yield body.get("format")


def _tool_choice(body: Mapping[str, Json]) -> ToolChoice:
    """Read ``tool_choice``, the deprecated ``function_call``, or ``toolConfig``."""
    chosen = body.get("tool_choice", body.get("function_call"))
    if chosen is None:
        chosen = _chosen_by_config(body.get("toolConfig"))
    names = frozenset(_chosen_names(chosen))
    mode = _mode(chosen)
    is_named = bool(names) and _member(chosen, "type") != "allowed_tools"
    only_one = _member(chosen, "disable_parallel_tool_use") is True
    return ToolChoice(
        offers_tools=any(True for _ in offered_tools(body)),
        is_forbidden=mode == "none",
        is_required=is_named or mode in REQUIRED,
        names=names,
        allows_parallel=body.get("parallel_tool_calls") is not False and not only_one,
    )


def _mode(chosen: Json) -> str:
    """``auto``, ``any``, ``required`` or ``none``; "" if the choice has no such word."""
    modes = (
        chosen,
        _member(chosen, "allowed_tools", "mode"),
        _member(chosen, "mode"),
        _member(chosen, "type"),
    )
    return next((mode.lower() for mode in modes if isinstance(mode, str)), "")


def _chosen_by_config(config: Json) -> Json:
    """Return the tool choice of Gemini's and Bedrock's ``toolConfig``, as others write it."""
    calling = _member(config, "functionCallingConfig")
    if isinstance(calling, dict):
        allowed = list_or_empty(calling.get("allowedFunctionNames"))
        tools = [{"name": name} for name in allowed]
        return {"type": "allowed_tools", "mode": calling.get("mode"), "tools": tools}
    choice = _member(config, "toolChoice")
    if not isinstance(choice, dict):
        return None
    return choice.get("tool") or next(iter(choice), None)


def _chosen_names(chosen: Json) -> Iterator[str]:
    """Yield the tools that ``tool_choice`` names: one, or a list of those that are allowed."""
    entries = [chosen, *list_or_empty(_member(chosen, "allowed_tools", "tools"))]
    if _member(chosen, "type") == "allowed_tools":
        entries += list_or_empty(_member(chosen, "tools"))
    for entry in entries:
        bodies = (_member(entry, "function"), _member(entry, "custom"), entry)
        names = (_member(body, "name") for body in bodies)
        name = next((name for name in names if isinstance(name, str) and name), None)
        if name is not None:
            yield name
