"""The task by which workers of Celery answer the doorbell."""

from django.db import close_old_connections

from inspector.archive.inspection import tasks
from inspector.archive.inspection.doorbell import DRAIN
from inspector.celery import app


@app.task(name=DRAIN)
def drain() -> None:
    # The server may have ended it since the last task, or that task failed by it.
    close_old_connections()
    tasks.drain()
