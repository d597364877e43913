"""Creates a team, its owner, an API key and sample captures on the first start."""

from __future__ import annotations

import io
from dataclasses import dataclass

from django.core.management import call_command

from inspector.teams.access import SCOPES
from inspector.teams.accounts import FIRST_TEAM_SLUG, any_team, create_owner, find_team
from inspector.teams.keys import create_api_key
from inspector.teams.sign_in_links import create_link

OWNER = "owner"
KEY_NAME = "first key"


@dataclass(frozen=True, slots=True)
class FirstStart:
    """Secrets, shown once."""

    sign_in_path: str
    key: str


def first_start() -> FirstStart | None:
    """Creates them; None if a team exists."""
    if any_team():
        return None
    owner = create_owner(OWNER)
    team = find_team(FIRST_TEAM_SLUG)
    assert team is not None
    call_command("load_samples", stdout=io.StringIO())
    return FirstStart(create_link(owner), create_api_key(team, KEY_NAME, SCOPES))
