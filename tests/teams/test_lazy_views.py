"""Views that are imported by the first request to them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.urls import get_resolver

from inspector.teams import lazy_views
from inspector.teams.lazy_views import LazyView, LazyViews
from inspector.teams.route_check import load_views, require_declared, routes

ROOT = Path(__file__).parents[2]
MOST_MODULES = 300
"""Modules of the project, of 1,040, that a process of web has before its first request."""
COUNTS = """
import sys
import django
django.setup()
import inspector.urls
print(len([name for name in sys.modules if name.partition(".")[0] in ("inspector", "api")]))
print(*sorted({"celery", "redis", "rest_framework.views", "psycopg",
    "jinja2", "markdown_it", "google.protobuf", "requests"} & set(sys.modules)))
"""


def test_a_view_answers_as_if_it_had_been_imported() -> None:
    health = LazyViews("api.service.health").livez
    assert isinstance(health, LazyView) and not health.is_loaded
    assert health.csrf_exempt is True
    assert health.is_loaded


def test_of_a_class_it_is_the_view() -> None:
    captures = LazyViews("api.captures.capture_list").CaptureListEndpoint
    assert captures.view_class.__name__ == "CaptureListEndpoint"


def test_a_view_that_asks_for_nobody_is_never_called(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[HttpRequest] = []
    monkeypatch.setattr(lazy_views, "bare", called.append, raising=False)
    with pytest.raises(ImproperlyConfigured, match=r"lazy_views\.bare does not authenticate"):
        LazyViews("inspector.teams.lazy_views").bare(HttpRequest())
    assert not called


def test_every_view_is_there_and_asks_as_its_row_says() -> None:
    patterns = get_resolver().url_patterns
    load_views(patterns)
    assert all(not isinstance(r.view, LazyView) or r.view.is_loaded for r in routes(patterns))
    require_declared(patterns)


def test_a_start_imports_nothing_that_no_request_has_asked_for() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "inspector.settings"}
    environment = {n: v for n, v in environment.items() if n not in ("DATABASE_URL", "REDIS_URL")}
    done = subprocess.run(
        [sys.executable, "-c", COUNTS],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    count, named = done.stdout.split("\n")[:2]
    assert int(count) <= MOST_MODULES
    assert named == ""
