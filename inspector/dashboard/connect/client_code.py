"""Code and variables to paste so that a program's calls go through the proxy."""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.teams.upstream_presets import ClientStyle

# What stands for the key where none was just made.
PLACEHOLDER = "KEY"
_VARIABLES = {
    ClientStyle.OPENAI: "OPENAI_BASE_URL",
    ClientStyle.ANTHROPIC: "ANTHROPIC_BASE_URL",
    ClientStyle.GEMINI: "GOOGLE_GEMINI_BASE_URL",
}


@dataclass(frozen=True, slots=True)
class ClientCode:
    """A block to copy, under the name of the client library that it is for."""

    slug: str
    client: str
    code: str


def proxy_url(proxy_origin: str, key: str, upstream: str) -> str:
    return f"{proxy_origin}/proxy/{key}/{upstream}"


def shell_line(style: ClientStyle, base_url: str) -> str:
    """Return the line for a shell; for a client library of its own, the address alone."""
    variable = _VARIABLES.get(style)
    return f"export {variable}={base_url}" if variable else base_url


def has_variable(style: ClientStyle) -> bool:
    """Clients of the style read their address from a variable."""
    return style in _VARIABLES


def client_codes(style: ClientStyle, base_url: str) -> tuple[ClientCode, ...]:
    """``base_url`` is the client's, with what it has after the upstream."""
    codes = _CODES.get(style)
    return tuple(codes(base_url)) if codes else ()


def _openai(url: str) -> Iterator[ClientCode]:
    yield ClientCode(
        "openai-python",
        "OpenAI SDK, Python",
        f'from openai import OpenAI\n\nclient = OpenAI(base_url="{url}")',
    )
    yield ClientCode(
        "openai-node",
        "OpenAI SDK, Node",
        f'import OpenAI from "openai";\n\nconst client = new OpenAI({{ baseURL: "{url}" }});',
    )
    yield ClientCode(
        "litellm",
        "LiteLLM",
        "import litellm\n\n"
        f'litellm.completion(model="openai/gpt-4.1-mini", messages=messages,\n'
        f'                   api_base="{url}")',
    )
    yield ClientCode(
        "langchain",
        "LangChain",
        "from langchain_openai import ChatOpenAI\n\n"
        f'model = ChatOpenAI(model="gpt-4.1-mini", base_url="{url}")',
    )
    yield ClientCode(
        "vercel",
        "Vercel AI SDK",
        'import { createOpenAI } from "@ai-sdk/openai";\n\n'
        f'const openai = createOpenAI({{ baseURL: "{url}" }});',
    )
    yield ClientCode(
        "curl",
        "curl",
        f"curl -N {url}/chat/completions \\\n"
        '  -H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json" \\\n'
        '  -d \'{"model":"gpt-4.1-mini","stream":true,'
        '"messages":[{"role":"user","content":"Hello"}]}\'',
    )


def _anthropic(url: str) -> Iterator[ClientCode]:
    yield ClientCode(
        "anthropic-python",
        "Anthropic SDK, Python",
        f'from anthropic import Anthropic\n\nclient = Anthropic(base_url="{url}")',
    )
    yield ClientCode(
        "anthropic-node",
        "Anthropic SDK, Node",
        'import Anthropic from "@anthropic-ai/sdk";\n\n'
        f'const client = new Anthropic({{ baseURL: "{url}" }});',
    )
    yield ClientCode(
        "litellm",
        "LiteLLM",
        "import litellm\n\n"
        f'litellm.completion(model="anthropic/claude-haiku-4-5", messages=messages,\n'
        f'                   api_base="{url}")',
    )
    yield ClientCode(
        "langchain",
        "LangChain",
        "from langchain_anthropic import ChatAnthropic\n\n"
        f'model = ChatAnthropic(model="claude-haiku-4-5", base_url="{url}")',
    )
    yield ClientCode(
        "vercel",
        "Vercel AI SDK",
        'import { createAnthropic } from "@ai-sdk/anthropic";\n\n'
        f'const anthropic = createAnthropic({{ baseURL: "{url}/v1" }});',
    )
    yield ClientCode(
        "curl",
        "curl",
        f"curl -N {url}/v1/messages \\\n"
        '  -H "x-api-key: $ANTHROPIC_API_KEY" -H "anthropic-version: 2023-06-01" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        '  -d \'{"model":"claude-haiku-4-5","max_tokens":100,"stream":true,'
        '"messages":[{"role":"user","content":"Hello"}]}\'',
    )


def _gemini(url: str) -> Iterator[ClientCode]:
    yield ClientCode(
        "gemini-python",
        "Google GenAI SDK, Python",
        f'from google import genai\n\nclient = genai.Client(http_options={{"base_url": "{url}"}})',
    )
    yield ClientCode(
        "gemini-node",
        "Google GenAI SDK, Node",
        'import { GoogleGenAI } from "@google/genai";\n\n'
        "const client = new GoogleGenAI({\n"
        "  apiKey: process.env.GEMINI_API_KEY,\n"
        f'  httpOptions: {{ baseUrl: "{url}" }},\n'
        "});",
    )
    yield ClientCode(
        "langchain",
        "LangChain",
        "from langchain_google_genai import ChatGoogleGenerativeAI\n\n"
        f'model = ChatGoogleGenerativeAI(model="gemini-2.5-flash", base_url="{url}")',
    )
    yield ClientCode(
        "vercel",
        "Vercel AI SDK",
        'import { createGoogleGenerativeAI } from "@ai-sdk/google";\n\n'
        f'const google = createGoogleGenerativeAI({{ baseURL: "{url}/v1beta" }});',
    )
    yield ClientCode(
        "curl",
        "curl",
        f'curl -N "{url}/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse" \\\n'
        '  -H "x-goog-api-key: $GEMINI_API_KEY" -H "Content-Type: application/json" \\\n'
        '  -d \'{"contents":[{"parts":[{"text":"Hello"}]}]}\'',
    )


_CODES = {
    ClientStyle.OPENAI: _openai,
    ClientStyle.ANTHROPIC: _anthropic,
    ClientStyle.GEMINI: _gemini,
}
