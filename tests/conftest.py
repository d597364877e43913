"""What every test may ask for. Data lives in a directory of its own, see ``tests.settings``."""

import os

from hypothesis import settings

# What a test starts as a process reads the project's settings, not those of the tests.
os.environ.pop("DJANGO_SETTINGS_MODULE", None)

# The machine may be slow and busy: a slow example is no failure, and CI repeats itself.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
