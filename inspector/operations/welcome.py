"""What ``up`` says once web answers."""

from __future__ import annotations

import json
from pathlib import Path

from django.conf import settings

from inspector.operations import data_dir
from inspector.operations.address import Address
from inspector.operations.first_start import FirstStart
from inspector.teams.accounts import FIRST_TEAM_SLUG

ANSWER = {
    "id": "chatcmpl-hello",
    "object": "chat.completion",
    "created": 1760000000,
    "model": "example-model",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Hello from the terminal."},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14},
}


def text(address: Address, origin: str, first: FirstStart | None) -> str:
    lines = ["", f"Response Inspector is ready: {origin}"]
    if address.near_url != origin:
        lines.append(f"On this machine also:         {address.near_url}")
    lines += ["", *(secrets(first, address, origin) if first else reminders()), ""]
    lines += [f"  Data           {shown(Path(settings.DATA_DIR))}"]
    lines += [f"  Logs           {shown(data_dir.logs())}", "", "Ctrl-C ends it."]
    return "\n".join(lines)


def secrets(first: FirstStart, address: Address, origin: str) -> list[str]:
    return [
        "  Sign in (this link works once, within a day)",
        f"    {origin}{first.sign_in_path}",
        "",
        "  Key for sending and reading responses, and for feedback tokens (shown only now)",
        f"    {first.key}",
        "",
        "  Send a response and see it appear",
        f"    {curl(address, first.key)}",
    ]


def curl(address: Address, key: str) -> str:
    """Works as pasted: one line, and nothing of JSON needs escaping inside single quotes."""
    body = json.dumps(ANSWER, separators=(",", ":"))
    return (
        f"curl -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' "
        f"--data-binary '{body}' {address.near_url}/api/v1/captures/"
    )


def reminders() -> list[str]:
    return [
        f"  Sign-in link   {command('sign_in_link')}",
        f"  New key        {command(f'create_api_key --team {FIRST_TEAM_SLUG} --name NAME')}",
    ]


def command(words: str) -> str:
    """A line that works as pasted in the folder of manage.py."""
    own = settings.BASE_DIR / "var"
    elsewhere = "" if own == settings.DATA_DIR else f" --data-dir {settings.DATA_DIR}"
    return f"python3 manage.py {words}{elsewhere}"


def shown(path: Path) -> str:
    """Below the working directory a path is told from there."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
