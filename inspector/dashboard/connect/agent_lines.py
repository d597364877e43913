"""The lines by which coding agents ask the archive (Model Context Protocol)."""

import json

from django.conf import settings
from django.urls import reverse

from inspector.dashboard.connect.paste_step import PasteStep

NAME = "inspector"
KEPT_APART = "The file has a key in it: keep it out of the repository."


def agent_steps(client: str, key: str) -> tuple[PasteStep, ...]:
    """Empty for a client that is no agent."""
    url = f"{settings.ORIGIN}{reverse('mcp:messages')}"
    server = {"url": url, "headers": {"Authorization": f"Bearer {key}"}}
    match client:
        case "claude-code":
            return _claude_steps(url, key)
        case "codex":
            return _codex_steps(url, key)
        case "cursor":
            return _file_steps(".cursor/mcp.json", {"mcpServers": {NAME: server}})
        case "vscode":
            named = {NAME: {"type": "http", **server}}
            return _file_steps(".vscode/mcp.json", {"servers": named})
    return ()


def _claude_steps(url: str, key: str) -> tuple[PasteStep, ...]:
    header = f'--header "Authorization: Bearer {key}"'
    line = f"claude mcp add --transport http {NAME} {url} \\\n  {header}"
    return (PasteStep("line", "Add it once", line),)


def _codex_steps(url: str, key: str) -> tuple[PasteStep, ...]:
    line = f"codex mcp add {NAME} --url {url} --bearer-token-env-var INSPECTOR_READ_KEY"
    return (
        PasteStep("line", "Add it once", line),
        PasteStep("variable", "Set the key where it runs", f"export INSPECTOR_READ_KEY={key}"),
    )


def _file_steps(path: str, content: object) -> tuple[PasteStep, ...]:
    text = json.dumps(content, indent=2)
    return (PasteStep("file", f"Put into {path}", text, KEPT_APART),)
