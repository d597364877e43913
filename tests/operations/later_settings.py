"""The product's settings as those of an invented later release, which has two more migrations."""

from inspector.settings import *  # noqa: F403

MIGRATION_MODULES = {"archive": "tests.faults.later"}
