"""Makes the archive and its first team, before any program needs them."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connections

from inspector.operations.operator_error import OperatorError
from inspector.operations.up import last_start
from inspector.operations.up.welcome import FirstStart
from inspector.teams import first_team
from inspector.teams.access import CAPTURE, SCOPES
from inspector.teams.accounts import any_team, create_owner, find_team, first_owner
from inspector.teams.keys import create_api_key
from inspector.teams.sign_in_links import create_link

OWNER = "owner"
KEY_NAME = "api"
CAPTURE_KEY_NAME = "proxy"

Begun = TypeVar("Begun")


def prepare(begin: Callable[[], Begun], step: Callable[[str], None]) -> Begun:
    """``begin`` puts into a new archive what it needs."""
    step("static files")
    # Assets of pages that this installation does not serve.
    call_command(
        "collectstatic", interactive=False, verbosity=0, ignore_patterns=["rest_framework", "redoc"]
    )
    try:
        step("tables of the archive")
        call_command("migrate", interactive=False, verbosity=0)
        step("team, keys and samples")
        begun = begin()
    except CommandError as error:
        raise OperatorError(str(error)) from error
    except DatabaseError as error:
        raise OperatorError(f"Cannot use the archive in {settings.DATA_DIR}: {error}.") from error
    finally:
        connections.close_all()
    if settings.IS_EMBEDDED:
        last_start.remember([Path(app.path) for app in apps.get_app_configs()])
    return begun


def first_start(*, with_proxy: bool) -> FirstStart | None:
    """Create a team, its owner, API keys and sample captures; None if a team exists."""
    if any_team():
        return None
    owner = create_owner(OWNER)
    team = find_team(first_team.SLUG)
    assert team is not None
    call_command("load_samples", stdout=io.StringIO())
    return FirstStart(
        sign_in_path=create_link(owner),
        key=create_api_key(team, KEY_NAME, SCOPES),
        capture_key=create_api_key(team, CAPTURE_KEY_NAME, (CAPTURE,)) if with_proxy else "",
    )


def new_sign_in_path() -> str:
    """Return the path of a link for the owner of the first team; "" if it has none."""
    owner = first_owner()
    return create_link(owner) if owner else ""
