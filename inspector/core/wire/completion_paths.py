"""Which calls ask for a completion, by their method and path."""

import re

from inspector.core.wire.exchange import Exchange, MeasuredBy

# As in "/v1/chat/completions" and "/v1beta/models/gemini-3:generateContent".
_ENDING = re.compile(
    r"""(
        /chat/completions | /completions            # OpenAI and its likes
      | /responses
      | /messages                                   # Anthropic
      | :generateContent | :streamGenerateContent   # Gemini
      | /api/chat | /api/generate                   # Ollama
      | /converse | /converse-stream                # Bedrock
      | /invoke | /invoke-with-response-stream
      | /v[12]/chat                                 # Cohere
    )/?\Z""",
    re.VERBOSE,
)


def is_completion(method: str, path: str) -> bool:
    """``path`` is that of the upstream, its base included, as it goes over the wire."""
    # Some clients escape the colon of Gemini's paths.
    plain = path.replace("%3A", ":").replace("%3a", ":")
    return method == "POST" and _ENDING.search(plain) is not None


def other_call(exchange: Exchange) -> str | None:
    """Return the method and path of a call that our proxy carried to an address that is asked for
    no completion, such as ``GET /v1/models``; None for all others.
    """
    request = exchange.request
    if exchange.measured_by is not MeasuredBy.PROXY or request is None:
        return None
    if request.method is None or request.url is None:
        return None
    address = request.url.partition("?")[0]
    if is_completion(request.method, address):
        return None
    path = address.partition("://")[2].partition("/")[2]
    return f"{request.method} /{path}"
