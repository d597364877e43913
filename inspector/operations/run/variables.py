"""Variables and options by which programs are told where a provider's API is."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
GEMINI = "https://generativelanguage.googleapis.com"
OLLAMA = "http://127.0.0.1:11434"
CHATGPT = "https://chatgpt.com/backend-api/codex"
"""Address that Codex calls for those who signed in with their account there."""


@dataclass(frozen=True, slots=True)
class Variable:
    """``default`` is the address that is called where it is not set; empty where none is.
    docs/run.md has the readers of each, with the source that says so.
    """

    name: str
    default: str


VARIABLES = (
    Variable("OPENAI_BASE_URL", OPENAI),
    Variable("OPENAI_API_BASE", OPENAI),
    Variable("ANTHROPIC_BASE_URL", ANTHROPIC),
    Variable("ANTHROPIC_API_BASE", ANTHROPIC),
    Variable("GOOGLE_GEMINI_BASE_URL", GEMINI),
    Variable("GEMINI_API_BASE", GEMINI),
    Variable("OLLAMA_HOST", OLLAMA),
    Variable("OLLAMA_API_BASE", OLLAMA),
    Variable("OLLAMA_BASE_URL", f"{OLLAMA}/v1"),
    Variable("GROQ_BASE_URL", "https://api.groq.com"),
    Variable("GROQ_API_BASE", "https://api.groq.com/openai/v1"),
    Variable("DEEPSEEK_API_BASE", "https://api.deepseek.com/beta"),
    Variable("MISTRAL_API_BASE", "https://api.mistral.ai/v1"),
    Variable("OPENROUTER_API_BASE", "https://openrouter.ai/api/v1"),
    Variable("XAI_API_BASE", "https://api.x.ai/v1"),
    Variable("CEREBRAS_API_BASE", "https://api.cerebras.ai/v1"),
    Variable("FIREWORKS_API_BASE", "https://api.fireworks.ai/inference/v1"),
    Variable("MOONSHOT_API_BASE", "https://api.moonshot.ai/v1"),
    Variable("PERPLEXITY_API_BASE", "https://api.perplexity.ai"),
    Variable("AZURE_OPENAI_ENDPOINT", ""),
    Variable("AZURE_API_BASE", ""),
)
CONNECTION_PROXIES = ("http_proxy", "https_proxy", "all_proxy")

Through = Callable[[str, bool], str | None]
"""Takes a base URL and whether the person chose it; returns the proxy's address for it, or None
where it stays as it is.
"""


def changed_variables(environ: Mapping[str, str], through: Through) -> Iterator[tuple[str, str]]:
    for variable in VARIABLES:
        given = environ.get(variable.name, "").strip()
        called = given or variable.default
        called = called if "://" in called or not called else f"http://{called}"
        if called and (address := through(called, bool(given))):
            yield variable.name, address


def direct_hosts(environ: Mapping[str, str], proxy_origin: str) -> Iterator[tuple[str, str]]:
    """Where connections go through a proxy of the network, those to ours must not."""
    if any(name.lower() in CONNECTION_PROXIES for name in environ):
        host = urlsplit(proxy_origin).hostname or ""
        for name in ("NO_PROXY", "no_proxy"):
            known = environ.get(name) or environ.get(name.swapcase()) or ""
            yield name, ",".join([*filter(None, [known]), host])


def with_options(
    command: Sequence[str], environ: Mapping[str, str], through: Through
) -> tuple[str, ...]:
    """Return the command with options in place of a variable that its program does not read."""
    program, *rest = command
    if os.path.basename(program) != "codex" or any("base_url" in each for each in rest):
        return tuple(command)
    given = environ.get("OPENAI_BASE_URL", "").strip()
    default = CHATGPT if _is_signed_in_with_account(environ) else OPENAI
    address = through(given or default, bool(given))
    return (program, "-c", f'openai_base_url="{address}"', *rest) if address else tuple(command)


def _is_signed_in_with_account(environ: Mapping[str, str]) -> bool:
    """Codex notes how it was signed in, beside the credential, which is not looked at."""
    folder = Path(environ.get("CODEX_HOME") or Path(environ.get("HOME", "~")) / ".codex")
    try:
        noted = json.loads((folder / "auth.json").read_text())
    except (OSError, ValueError):
        return False
    return isinstance(noted, dict) and str(noted.get("auth_mode", "")).lower() == "chatgpt"
