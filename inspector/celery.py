"""The Celery application. Its messages only announce work; the queue is a table."""

import logging
import os
from typing import Any

from celery import Celery, signals
from django.conf import settings

from inspector.brokers import redis

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")

SAYS_PAST_LOGS = "safe_say"


def keep_logging(**_: Any) -> None:
    """Leave logging as Django made it: Celery does so as soon as this signal has a receiver."""


def log_what_it_says(**_: Any) -> None:
    """Log the worker's last words, which go past every log."""
    from celery.apps import worker

    log = logging.getLogger(__name__)
    setattr(worker, SAYS_PAST_LOGS, lambda message, *_: log.warning(message.strip()))


def load_what_inspections_need(**_: Any) -> None:
    """Load it in the parent, whose children share it: no first capture of theirs waits for it."""
    from inspector.archive.inspection import tasks

    tasks.prepare()


signals.setup_logging.connect(keep_logging)
signals.worker_init.connect(load_what_inspections_need)
signals.celeryd_init.connect(log_what_it_says)
redis.register()
app = Celery("inspector")
app.conf.update(
    **settings.BROKER,
    task_ignore_result=True,
    task_time_limit=settings.TASK_TIME_LIMIT_SECONDS,
    worker_prefetch_multiplier=1,
    # Nobody asks a worker anything: its supervisor looks at its process, the sweep at its rows.
    worker_enable_remote_control=False,
    worker_hijack_root_logger=False,
    imports=["inspector.archive.inspection.announced"],
    broker_connection_retry_on_startup=True,
    # A worker without its broker waits for it; the sweep does the work meanwhile.
    broker_connection_max_retries=None,
    # Fewer messages after a lost connection would be none at all with one process.
    worker_enable_prefetch_count_reduction=False,
    # Else its fix-up for Django closes the connection to the database around every task. As many
    # tasks use one: what the server holds for it, such as prepared statements, ends some time.
    CELERY_DB_REUSE_MAX=1_000,
    # Concerns no task of ours, and not to decide it is warned of at every lost connection.
    worker_cancel_long_running_tasks_on_connection_loss=True,
)
