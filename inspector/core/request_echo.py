"""An exchange without its request, also where the response repeats it."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator

import msgspec

from inspector.core.credentials.response_body import without_coding
from inspector.core.redaction.body_masking import masked_body
from inspector.core.redaction.json_tokens import has_more_tokens
from inspector.core.redaction.mask_rule import MaskKind, MaskRule
from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction.wide_body import wide_text
from inspector.core.request_params import parse_request_body
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange, Read, Request

# Responses repeats the request at its top; Together and vLLM the prompt or its tokens, Ollama the
# tokens of the conversation, llama.cpp beside its answer, Fireworks in parts, FastAPI what it
# refused.
TOP = (
    "context",
    "instructions",
    "metadata",
    "prompt",
    "prompt_cache_key",
    "prompt_logprobs",
    "prompt_token_ids",
    "safety_identifier",
    "text.format",
    "tool_choice",
    "tools",
    "user",
)
BELOW = (
    "__verbose.prompt",
    "choices.*.prompt_logprobs",
    "choices.*.prompt_token_ids",
    "choices.*.raw_output.prompt_fragments",
    "choices.*.raw_output.prompt_token_ids",
    "detail.*.ctx",
    "detail.*.input",
)
ECHOED = ("choices.*.text", "choices.*.logprobs")
"""Where the request asks for it (``echo``), texts begin with the prompt."""

_LINE = re.compile(rb"[^\n]*\n?")


def without_request(exchange: Exchange) -> Exchange:
    """The exchange as its response alone tells it. Members that repeat the request are overwritten,
    byte for byte; what a model quotes in its answer stays.
    """
    alone = msgspec.structs.replace(exchange, request=None)
    plain = decompressed(alone)
    paths = tuple(_paths(exchange.request))
    masked = _without_echo(plain.body, paths)
    if masked == plain.body:
        return alone
    reads = tuple(_cut_like(plain.reads, masked))
    headers = exchange.headers if plain.body == exchange.body else without_coding(exchange.headers)
    return msgspec.structs.replace(alone, headers=headers, reads=reads)


def _paths(request: Request | None) -> Iterator[str]:
    for name in TOP:
        yield name
        yield f"response.{name}"
    yield from BELOW
    body = parse_request_body(request)
    if body is not None and body.get("echo"):
        yield from ECHOED


def _without_echo(body: bytes, paths: tuple[str, ...]) -> bytes:
    rules = RuleSet(MaskRule(at, MaskKind.PATH, path) for at, path in enumerate(paths))
    names = "|".join(sorted({re.escape(path.split(".")[-1]) for path in paths}))
    is_named = re.compile(f'"(?:{names})"'.encode())
    if wide_text(body):
        return _masked(body, rules)
    if body.removeprefix(BOM_UTF8).lstrip()[:1] in (b"{", b"["):
        return _masked(body, rules) if is_named.search(body) else body
    # A few of a stream's many events repeat the request.
    lines = (found[0] for found in _LINE.finditer(body))
    return b"".join(_masked(line, rules) if is_named.search(line) else line for line in lines)


def _masked(body: bytes, rules: RuleSet) -> bytes:
    # Behind the bound no member is looked for, so that nothing of such a text is shown.
    if has_more_tokens(body):
        return b"*" * len(body)
    return masked_body(body, rules).body


def _cut_like(reads: tuple[Read, ...], body: bytes) -> Iterator[Read]:
    at = 0
    for read in reads:
        yield Read(read.at_us, body[at : at + len(read.data)])
        at += len(read.data)
