"""The digest of a request's prompt: equal for requests that ask the same, whatever they ask.

What counts is what the model is given to read: instructions, messages, texts to complete, and the
conversation that is gone on with. Model, parameters, tools and metadata do not. ``docs/search.md``
tells the rules of normalisation.
"""

import json
from collections.abc import Mapping
from hashlib import sha256

from inspector.core.json import Json
from inspector.core.request.prompt.request_body import has_too_many_values
from inspector.core.request.prompt.request_fields import (
    CONTINUED,
    HOLD_TEXTS,
    PLAIN,
    PlacedMessage,
    is_cache_point,
    is_given,
    is_message,
    messages_in,
)
from inspector.core.request.request_params import parse_request_body
from inspector.core.wire.exchange import Request

MAX_PROMPT_BYTES = 8 * 1024 * 1024
"""Longer request bodies have no digest."""

_SAME_ROLES = {"model": "assistant", "chatbot": "assistant", "developer": "system"}
_TEXT_TYPES = (None, "text", "input_text", "output_text")
_NESTED = ("content", "output")
"""Members of parts and items that hold a text or a list of parts."""
_NOT_READ = ("cache_control", "prompt_cache_breakpoint", "status")
"""Members that tell how to keep a part or how it was made, and never what it says."""
_LEFT_OUT_OF_MESSAGES = (*HOLD_TEXTS, "role", "type", "id")


def normalised_prompt(request: Request | None) -> Mapping[str, Json]:
    """Return the prompt as one object of ``messages`` (``role`` and ``parts``), ``prompt`` and so
    on.

    Empty where there is no prompt to read: no ``prompt_body``, or no prompt of a known format in
    it. Never raises. Linear in the length of the body.
    """
    body = prompt_body(request)
    return {} if body is None else _prompt(body)


def prompt_body(request: Request | None) -> Mapping[str, Json] | None:
    """Return the body in which a prompt is looked for. None where it is unknown, no JSON object,
    longer than ``MAX_PROMPT_BYTES``, or of more values than a page reads.
    """
    sent = (request.body if request else None) or b""
    if len(sent) > MAX_PROMPT_BYTES or has_too_many_values(sent):
        return None
    return parse_request_body(request)


def digest_of(prompt: Mapping[str, Json]) -> str | None:
    """SHA-256 of a normalised prompt, in hexadecimal digits; None of an empty one."""
    # Escaped to ASCII: a lone surrogate has no UTF-8.
    return sha256(_canonical(prompt).encode("ascii")).hexdigest() if prompt else None


def _canonical(value: Json) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _prompt(body: Mapping[str, Json]) -> dict[str, Json]:
    """Return the prompt as one object. Empty if the body has none."""
    messages = [normalised_message(each) for each in messages_in(body)]
    plain = {name: _plain(body[name]) for name in PLAIN if is_given(body.get(name))}
    if not messages and not plain:
        return {}
    if "inputs" in plain:
        plain.setdefault("prompt", plain.pop("inputs"))
        plain.pop("inputs", None)
    continued = {name: body[name] for name in CONTINUED if is_given(body.get(name))}
    return {**plain, **continued, **({"messages": messages} if messages else {})}


def _plain(value: Json) -> Json:
    """Return a text, or whatever stands in its place; a list of one text is that text."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def normalised_message(message: PlacedMessage) -> Json:
    """Return a message, or an item in its place, without what changes nothing for the model."""
    if message.is_instruction:
        return {"role": "system", "parts": _parts(message.value)}
    return _item(message.value)


def _item(value: Json) -> Json:
    """One message, or one item that is none, as a call of a tool among Responses' input."""
    if isinstance(value, str):
        return {"role": "user", "parts": [value]}
    if not isinstance(value, dict):
        return value
    return _message(value) if is_message(value) else _part(value)


def _message(value: Mapping[str, Json]) -> Json:
    texts = next((value[name] for name in HOLD_TEXTS if name in value), None)
    others = {name: each for name, each in value.items() if name not in _LEFT_OUT_OF_MESSAGES}
    return {**_members(others), "role": _role(value.get("role", "user")), "parts": _parts(texts)}


def _role(role: Json) -> Json:
    name = role.lower() if isinstance(role, str) else role
    return _SAME_ROLES.get(name, name) if isinstance(name, str) else name


def _parts(value: Json) -> list[Json]:
    """Return the parts: a text is a list of one."""
    if value is None:
        return []
    held = value if isinstance(value, list) else [value]
    return [_part(each) for each in held if not is_cache_point(each)]


def _part(value: Json) -> Json:
    """Return what is compared: a part's text if that is all there is of it, else its members."""
    if not isinstance(value, dict):
        return value
    members = _members(value)
    is_text = members.keys() <= {"type", "text"} and members.get("type") in _TEXT_TYPES
    text = members.get("text")
    return text if is_text and isinstance(text, str) else members


def _members(value: Mapping[str, Json]) -> dict[str, Json]:
    """Return the members that say something, with the texts below them normalised, too."""
    return {
        name: _parts(each) if name in _NESTED else each
        for name, each in value.items()
        if name not in _NOT_READ and each is not None and each != []
    }
