"""Nothing starts whose addresses and authorisation table disagree."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.urls import get_resolver, include, path
from rest_framework.permissions import AllowAny
from rest_framework.views import APIView

from api.urls import ROWS
from inspector.teams import route_check
from inspector.teams.authorisation import TABLE, AuthMethod, AuthorisationRow
from inspector.teams.guards import open_to_all

ROOT = Path(__file__).parents[2]


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


guarded = open_to_all(bare)


class Listing(APIView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse()


class Unguarded(Listing):
    permission_classes = (AllowAny,)


def complaint(*rows: AuthorisationRow, **addresses: object) -> str:
    """Return the error at the start where these addresses and these rows are all there are."""
    patterns = [path(f"{name}/", view, name=name) for name, view in addresses.items()]  # type: ignore[arg-type,call-overload]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(route_check, "TABLE", {row.route: row for row in rows})
        try:
            route_check.require_declared([path("", include((patterns, "x")))])
        except ImproperlyConfigured as error:
            return str(error)
    return ""


def test_the_project_starts() -> None:
    route_check.require_declared(get_resolver().url_patterns)
    assert len(TABLE) == len(list(route_check.routes(get_resolver().url_patterns)))


def test_a_route_without_a_row_ends_the_start() -> None:
    assert "'new/' (x:new) has no row" in complaint(new=guarded)


def test_a_row_without_a_route_ends_the_start() -> None:
    row = AuthorisationRow("x:old", AuthMethod.OPEN, {"GET": "anybody"})
    assert "x:old names 0 routes" in complaint(row)


def test_a_view_that_does_not_ask_ends_the_start() -> None:
    page = AuthorisationRow("x:new", AuthMethod.OPEN, {"GET": "anybody"})
    assert "does not authenticate by the method" in complaint(page, new=bare)
    assert complaint(page, new=guarded) == ""
    key = AuthorisationRow("x:new", AuthMethod.KEY, {"GET": "read"})
    assert "does not authenticate by the method" in complaint(key, new=guarded)
    assert "does not authenticate by the method" in complaint(key, new=Unguarded.as_view())
    assert complaint(key, new=Listing.as_view()) == ""


def test_a_method_that_only_one_of_them_knows_ends_the_start() -> None:
    row = AuthorisationRow("x:new", AuthMethod.KEY, {"GET": "read", "DELETE": "read"})
    assert "takes ['GET'], not what its row says" in complaint(row, new=Listing.as_view())


def test_every_row_of_the_api_stands_beside_its_address() -> None:
    declared = {row.route: row for row in ROWS}
    assert {name: row for name, row in TABLE.items() if name.startswith("api:")} == declared
    assert TABLE["api:capture"].needs == {"GET": "read", "PATCH": "ingest", "DELETE": "delete"}
    assert TABLE["api:vote"].auth_method is AuthMethod.OPEN
    assert set(TABLE["api:vote"].needs) == {"GET", "POST", "OPTIONS"}


UNDECLARED = {
    "dashboard:archive": (
        "from inspector.teams import authorisation\ndel authorisation.TABLE['dashboard:archive']\n"
    ),
    "api:admission": (
        "from api import urls\nurls.ROWS = [row for row in urls.ROWS if row.route != 'api:admission']\n"
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("route", UNDECLARED)
def test_web_does_not_start_with_an_undeclared_route(route: str) -> None:
    """The server's own entry point fails, not the first request."""
    program = (
        "import os, django\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'inspector.settings'\n"
        "django.setup()\n"
        f"{UNDECLARED[route]}"
        "import inspector.wsgi\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert f"({route}) has no row in the table" in done.stderr
