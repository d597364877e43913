"""The Celery application: a doorbell that says "look at the table", never the queue itself."""

import os

from celery import Celery
from django.conf import settings

from inspector import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")

broker.register()
app = Celery("inspector")
app.conf.update(
    # A folder has no host; without one kombu warns at every connection.
    broker_url=f"{broker.SCHEME}://localhost",
    broker_transport_options={
        "data_folder_in": str(settings.BROKER_DIR / "queue"),
        "data_folder_out": str(settings.BROKER_DIR / "queue"),
        "control_folder": str(settings.BROKER_DIR / "control"),
        # kombu looks once a second unless told; a person waits for the page meanwhile.
        "polling_interval": 0.05,
    },
    task_ignore_result=True,
    task_time_limit=settings.TASK_TIME_LIMIT_SECONDS,
    worker_prefetch_multiplier=1,
    # Nobody asks a worker anything: its supervisor looks at its process, the sweep at its rows.
    worker_enable_remote_control=False,
    worker_hijack_root_logger=False,
    imports=["inspector.archive.tasks"],
    broker_connection_retry_on_startup=True,
)
