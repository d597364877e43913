"""The product's settings for its programs while they are being broken: limits and waits that a
test can sit out (``FAULTS=short``; the product's own with ``long``), and the strikes.
"""

import os

from inspector.settings import *  # noqa: F403
from inspector.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.faults.strikes.Strikes"]

if os.environ["FAULTS"] == "short":
    LEASE_SECONDS = 2
    TASK_TIME_LIMIT_SECONDS = 1.5
    DRAIN_SECONDS = 0.5
    RETRY_WAITS_SECONDS = (1, 1)
    SWEEP_EVERY_SECONDS = 1
