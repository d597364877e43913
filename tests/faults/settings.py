"""The product's settings for its programs while they are being broken: limits and waits that a
test can sit out (``FAULTS=short``; the product's own with ``long``), and the strikes.
"""

import os

from inspector.settings import *  # noqa: F403
from inspector.settings import INSTALLED_APPS
from tests.faults import later_release

INSTALLED_APPS = [*INSTALLED_APPS, "tests.faults.strikes.Strikes"]

if os.environ.get("FAULTS_RELEASE") == "later":
    later_release.count_up()
if os.environ.get("FAULTS_SCHEMA") == "later":
    MIGRATION_MODULES = {"archive": "tests.faults.later"}

if os.environ["FAULTS"] == "short":
    # As the product's, each wait ends before the one that contains it: a slow reading and the time in
    # which it may begin before the task, the task before its lease. Long enough for sound work on
    # two cores that much else uses: whoever ends it counts an attempt.
    DRAIN_SECONDS = CLAIM_SECONDS = 1
    SLOW_READING_CPU_SECONDS, SLOW_READING_SECONDS = 3, 10
    TASK_TIME_LIMIT_SECONDS = 14
    LEASE_SECONDS = RECORDING_LEASE_SECONDS = 16
    RECORDING_GRACE_SECONDS = 3
    # One more than the product's, so that sound work outlives a row's kills and a slow moment, too.
    MAX_ATTEMPTS = 4
    RETRY_WAITS_SECONDS = (1, 1, 1)
    SWEEP_EVERY_SECONDS = 1
