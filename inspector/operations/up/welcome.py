"""The text ``up`` prints once web answers."""

from __future__ import annotations

import json
from pathlib import Path

from django.conf import settings

from inspector.operations import data_dir
from inspector.operations.up.address import ListenAddress
from inspector.operations.up.first_start import FirstStart
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


def welcome_text(address: ListenAddress, origin: str, first: FirstStart | None) -> str:
    lines = ["", f"Response Inspector is ready: {origin}"]
    if address.near_url != origin:
        lines.append(f"On this machine also:         {address.near_url}")
    lines += ["", *(secrets(first, address, origin) if first else reminders()), ""]
    lines += [f"  Data           {display_path(Path(settings.DATA_DIR))}"]
    lines += [f"  Logs           {display_path(data_dir.logs())}", "", "Ctrl-C ends it."]
    return "\n".join(lines)


def secrets(first: FirstStart, address: ListenAddress, origin: str) -> list[str]:
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


def curl(address: ListenAddress, key: str) -> str:
    """A curl command to paste: one line, with JSON that needs no escaping in single quotes."""
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
    """A command line to paste in the folder of manage.py."""
    own = settings.BASE_DIR / "var"
    elsewhere = "" if own == settings.DATA_DIR else f" --data-dir {settings.DATA_DIR}"
    return f"python3 manage.py {words}{elsewhere}"


def display_path(path: Path) -> str:
    """Path relative to the working directory if below it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
