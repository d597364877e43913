"""The text that ``up`` prints once web answers."""

import json
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from inspector.configuration.archive_command import archive_command
from inspector.operations import data_dir
from inspector.operations.up.address import ListenAddress, UpAddresses
from inspector.teams import first_team
from inspector.teams.upstream_presets import PRESETS

SHOWN_UPSTREAM = PRESETS["openai"]


@dataclass(frozen=True, slots=True)
class FirstStart:
    """Secrets of the first start. Only their hashes are stored, so they are shown once."""

    sign_in_path: str
    key: str
    capture_key: str = ""
    """Stands in the address of the proxy; empty where none is started."""


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


def welcome_text(addresses: UpAddresses, first: FirstStart | None) -> str:
    web, origin = addresses.web, addresses.origin
    lines = ["", f"Response Inspector is ready: {origin}"]
    if web.near_url != origin:
        lines.append(f"On this machine also:         {web.near_url}")
    lines += ["", *(secrets(first, web, origin) if first else reminders())]
    if addresses.proxy_origin:
        lines += ["", *proxy_lines(addresses.proxy_origin, first)]
    lines += ["", f"  Data           {display_path(Path(settings.DATA_DIR))}"]
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


def proxy_lines(proxy_origin: str, first: FirstStart | None) -> list[str]:
    """Return the line that has an unchanged program call through the proxy."""
    key = first.capture_key if first else ""
    base_url = f"{SHOWN_UPSTREAM.name}{SHOWN_UPSTREAM.client_path}"
    if key:
        return [
            "  Capture a program's own calls: start it with (the key in it is shown only now)",
            f"    OPENAI_BASE_URL={proxy_origin}/proxy/{key}/{base_url}",
        ]
    return [
        f"  Proxy          OPENAI_BASE_URL={proxy_origin}/proxy/KEY/{base_url}",
        f"  New key for it {new_key('--scope capture')}",
    ]


def curl(address: ListenAddress, key: str) -> str:
    """Return a curl command to paste: one line, with JSON that needs no escaping in single
    quotes.
    """
    body = json.dumps(ANSWER, separators=(",", ":"))
    return (
        f"curl -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' "
        f"--data-binary '{body}' {address.near_url}/api/v1/captures/"
    )


def reminders() -> list[str]:
    return [f"  Sign-in link   {archive_command('sign_in_link')}", f"  New key        {new_key()}"]


def new_key(options: str = "") -> str:
    made = f"create_api_key --team {first_team.SLUG} --name NAME {options}"
    return archive_command(made.rstrip())


def display_path(path: Path) -> str:
    """Path relative to the working directory if below it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
