"""The settings of the project, in a data directory of the tests' own.

The embedded stack; PostgreSQL and Redis where TEST_DATABASE_URL and TEST_REDIS_URL name them.
"""

import atexit
import os
import shutil
import tempfile

for name in [*os.environ]:
    if name.startswith(("INSPECTOR_", "DATABASE_", "REDIS_")):
        del os.environ[name]
for name in ("DATABASE_URL", "REDIS_URL"):
    if f"TEST_{name}" in os.environ:
        os.environ[name] = os.environ[f"TEST_{name}"]

# Commands that a test starts as processes must find neither var/ nor packages to install.
os.environ["INSPECTOR_DATA_DIR"] = tempfile.mkdtemp(prefix="inspector-tests-")
os.environ["INSPECTOR_BOOTSTRAP"] = "0"
os.environ["INSPECTOR_SECRET_KEY"] = "signs what tests ask for, and nothing else"
atexit.register(shutil.rmtree, os.environ["INSPECTOR_DATA_DIR"], ignore_errors=True)

from inspector.settings import *  # noqa: E402, F403
from inspector.settings import DATA_DIR, DATABASES, IS_EMBEDDED, STATIC_ROOT  # noqa: E402

if IS_EMBEDDED:
    # A file: the threads of a live server cannot share a database in memory.
    DATABASES["default"]["TEST"] = {"NAME": DATA_DIR / "test.sqlite3"}
STATIC_ROOT.mkdir()
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Tests ask faster than anybody else; those of the limits set their own.
REQUESTS_PER_SECOND = FAILED_KEYS_PER_SECOND = None
VOTES_PER_SECOND = TEAM_VOTES_PER_SECOND = None
SHARES_PER_SECOND = None
READ_BYTES_PER_SECOND = None
READINESS_SECONDS = 0.0
# Readers give way to everything else on the machine, so that beside other tests they may take long;
# tests of these limits set their own.
READING_SECONDS = SLOW_READING_SECONDS = READER_WAIT_SECONDS = PAGE_SECONDS = 100
# One collection of all that a test process holds can take longer than a quick reading.
QUICK_READING_SECONDS = QUICKEST_READING_SECONDS = 100
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
