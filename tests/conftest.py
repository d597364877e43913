"""Fixtures of every test. Data lives in a directory of its own, see ``tests.settings``."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as project
from django.contrib.contenttypes.management import create_contenttypes
from django.db.models.signals import post_migrate
from hypothesis import settings

from inspector.archive.readers import child, on_demand
from inspector.archive.readers.child import WebReader
from inspector.teams.models import Role
from inspector.web.token_buckets import TokenBuckets
from tests import tiers
from tests.people import Person, make_person

# All that is made until the tests are collected is kept: to look through it were a quarter of that.
gc.disable()

# What a test starts as a process reads the project's settings, not those of the tests.
os.environ.pop("DJANGO_SETTINGS_MODULE", None)

# Django would write its own list of rights, which nothing here asks for, again after every test that
# commits; of what such a test takes, that were the most.
post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
post_migrate.disconnect(create_contenttypes)

THOROUGH = pytest.mark.skip(reason="run by manage.py test --all")
OF_PRODUCTION = ("both_stacks", "production")

pytest_plugins = ["tests.processor_time", "tests.api.serving"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="also the tests that are marked thorough")
    parser.addoption(
        "--faults",
        choices=("short", "long"),
        default="short",
        help="tests/faults with leases and waits of seconds, or with the product's own",
    )


def pytest_configure(config: pytest.Config) -> None:
    tiers.is_whole = config.getoption("--all")
    is_ci = bool(os.environ.get("CI"))
    # The machine may be slow and busy: a slow example is no failure, and CI repeats itself.
    settings.register_profile(
        "tests",
        deadline=None,
        derandomize=is_ci,
        print_blob=is_ci,
        max_examples=tiers.examples(25, 100),
    )
    settings.load_profile("tests")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """On PostgreSQL most files have nothing to run; whether one has, its text tells sooner."""
    if project.IS_EMBEDDED or not collection_path.name.startswith("test_"):
        return None
    text = collection_path.read_text()
    return None if any(f"mark.{mark}" in text for mark in OF_PRODUCTION) else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """``manage.py test`` makes a run on each stack; each takes what is of it."""
    elsewhere = [item for item in items if not is_of_this_stack(item)]
    if elsewhere:
        items[:] = [item for item in items if is_of_this_stack(item)]
        config.hook.pytest_deselected(items=elsewhere)
    if not config.getoption("--all"):
        cases: set[str] = set()
        for item in items:
            if item.get_closest_marker("thorough") or is_further_case(item, cases):
                item.add_marker(THOROUGH)


def pytest_collection_finish() -> None:
    """Freeze what is loaded by now: collectors, which new connections call, pass it over."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


def is_of_this_stack(item: pytest.Item) -> bool:
    if project.IS_EMBEDDED:
        return item.get_closest_marker("production") is None
    is_elsewhere = item.get_closest_marker("embedded") is not None
    return not is_elsewhere and any(item.get_closest_marker(mark) for mark in OF_PRODUCTION)


def is_further_case(item: pytest.Item, seen: set[str]) -> bool:
    """On PostgreSQL the first case of a test stands for the others, which SQLite has run."""
    function = item.nodeid.partition("[")[0]
    is_further = function in seen
    seen.add(function)
    return is_further and not project.IS_EMBEDDED and not item.get_closest_marker("production")


@pytest.fixture
def owner(db: None) -> Person:
    """Owner of the first team."""
    return make_person("olga", "default", Role.OWNER)


@pytest.fixture
def teammate(db: None) -> Person:
    """Return a person of the owner's team."""
    return make_person("theo", "default", Role.MEMBER)


@pytest.fixture
def stranger(db: None) -> Person:
    """Owner of another team, to whom the first must be as if it were not there."""
    return make_person("sven", "elsewhere", Role.OWNER)


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebReader]:
    """The reader of this process, not started yet, and nobody has had anything read."""
    made = WebReader()
    monkeypatch.setattr(child, "_web_reader", made)
    monkeypatch.setattr(on_demand, "_read_bytes", TokenBuckets(on_demand.BURST_SECONDS))
    yield made
    made.end()
