"""The clients with which services call providers, and the lines by which each records itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServiceClient:
    """``code`` wraps it with our package; empty where there is no package for its language.

    ``upstream`` is the preset by which it goes through the proxy, ``proxy_slug`` its code there.
    ``reads_variable`` is false where the address stands in the program's own code alone.
    """

    slug: str
    language: str
    title: str
    code: str = ""
    upstream: str = "openai"
    proxy_slug: str = ""
    reads_variable: bool = True


PYTHON, NODE, BROWSER, ANY = "Python", "Node", "Browser", "Any language"
AGENT = "Coding agent"
"""The client that reads the archive; the others send to it."""
_CAPTURE = "from response_inspector import capture\n\n"
_NODE_CAPTURE = 'import { capture } from "response-inspector-client";\n\n'

SERVICE_CLIENTS = (
    ServiceClient(
        "openai-python",
        PYTHON,
        "OpenAI",
        f"from openai import OpenAI\n{_CAPTURE}client = capture(OpenAI())",
        "openai",
        "openai-python",
    ),
    ServiceClient(
        "anthropic-python",
        PYTHON,
        "Anthropic",
        f"from anthropic import Anthropic\n{_CAPTURE}client = capture(Anthropic())",
        "anthropic",
        "anthropic-python",
    ),
    ServiceClient(
        "gemini-python",
        PYTHON,
        "Google Gen AI",
        f"from google import genai\n{_CAPTURE}client = capture(genai.Client())",
        "gemini",
        "gemini-python",
    ),
    ServiceClient(
        "langchain",
        PYTHON,
        "LangChain",
        "from langchain_openai import ChatOpenAI\n"
        f'{_CAPTURE}model = capture(ChatOpenAI(model="gpt-4.1-mini"))',
        "openai",
        "langchain",
    ),
    ServiceClient(
        "litellm",
        PYTHON,
        "LiteLLM",
        f"import litellm\n{_CAPTURE}capture(litellm)  # once, before the first call",
        "openai",
        "litellm",
    ),
    ServiceClient(
        "httpx",
        PYTHON,
        "httpx",
        f"import httpx\n{_CAPTURE}http_client = capture(httpx.Client())",
        reads_variable=False,
    ),
    ServiceClient(
        "openai-node",
        NODE,
        "OpenAI",
        f'import OpenAI from "openai";\n{_NODE_CAPTURE}const client = capture(new OpenAI());',
        "openai",
        "openai-node",
    ),
    ServiceClient(
        "anthropic-node",
        NODE,
        "Anthropic",
        'import Anthropic from "@anthropic-ai/sdk";\n'
        f"{_NODE_CAPTURE}const client = capture(new Anthropic());",
        "anthropic",
        "anthropic-node",
    ),
    ServiceClient(
        "vercel",
        NODE,
        "AI SDK",
        'import { createOpenAI } from "@ai-sdk/openai";\n'
        f"{_NODE_CAPTURE}const openai = createOpenAI({{ fetch: capture() }});",
        "openai",
        "vercel",
    ),
    ServiceClient(
        "fetch",
        NODE,
        "fetch",
        f"{_NODE_CAPTURE}const recorded = capture();  // in place of fetch:\n"
        '// const response = await recorded(address, { method: "POST", … });',
        reads_variable=False,
    ),
    ServiceClient("page", BROWSER, "Page", reads_variable=False),
    ServiceClient("devtools", BROWSER, "DevTools", upstream="", reads_variable=False),
    ServiceClient("proxy", ANY, "Base URL"),
    ServiceClient("curl", ANY, "curl", proxy_slug="curl", reads_variable=False),
    ServiceClient("http", ANY, "Plain HTTP", reads_variable=False),
    ServiceClient("claude-code", AGENT, "Claude Code", upstream="", reads_variable=False),
    ServiceClient("codex", AGENT, "Codex", upstream="", reads_variable=False),
    ServiceClient("cursor", AGENT, "Cursor", upstream="", reads_variable=False),
    ServiceClient("vscode", AGENT, "VS Code", upstream="", reads_variable=False),
)


def client_named(slug: str) -> ServiceClient:
    """Return the client of this name, the first where there is none of that name."""
    return next((each for each in SERVICE_CLIENTS if each.slug == slug), SERVICE_CLIENTS[0])


def clients_by_language() -> dict[str, tuple[ServiceClient, ...]]:
    return {
        language: tuple(each for each in SERVICE_CLIENTS if each.language == language)
        for language in (PYTHON, NODE, BROWSER, ANY, AGENT)
    }
