"""What every test may ask for. Data lives in a directory of its own, see ``tests.settings``."""

import os

import pytest
from django.conf import settings as project
from django.contrib.contenttypes.management import create_contenttypes
from django.db.models.signals import post_migrate
from hypothesis import settings

from inspector.teams.models import Role
from tests.people import Person, make_person

# What a test starts as a process reads the project's settings, not those of the tests.
os.environ.pop("DJANGO_SETTINGS_MODULE", None)

# Django would write its own list of rights, which nothing here asks for, again after every test that
# commits; of what such a test takes, that were the most.
post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
post_migrate.disconnect(create_contenttypes)

# The machine may be slow and busy: a slow example is no failure, and CI repeats itself.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--faults",
        choices=("short", "long"),
        default="short",
        help="tests/faults with leases and waits of seconds, or with the product's own",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is marked as the other stack's is not of this run; ``manage.py test`` makes both."""
    other = "production" if project.IS_EMBEDDED else "embedded"
    elsewhere = [item for item in items if item.get_closest_marker(other)]
    if elsewhere:
        items[:] = [item for item in items if item not in elsewhere]
        config.hook.pytest_deselected(items=elsewhere)


@pytest.fixture
def owner(db: None) -> Person:
    """Owner of the first team."""
    return make_person("olga", "default", Role.OWNER)


@pytest.fixture
def teammate(db: None) -> Person:
    """Of the owner's team."""
    return make_person("theo", "default", Role.MEMBER)


@pytest.fixture
def stranger(db: None) -> Person:
    """Owner of another team, to whom the first must be as if it were not there."""
    return make_person("sven", "elsewhere", Role.OWNER)
