"""The task by which workers of Celery answer the doorbell."""

from inspector.archive.inspection import tasks
from inspector.archive.inspection.doorbell import DRAIN
from inspector.celery import app


@app.task(name=DRAIN)
def drain() -> None:
    tasks.drain()
