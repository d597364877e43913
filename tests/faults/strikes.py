"""Strikes at one point inside a program: functions of the product, replaced by ones that strike
where the harness has laid a file of their name into the folder ``armed``.

The product knows nothing of this; only the settings beside this file install it.
"""

import os
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.apps import AppConfig

from tests.faults import later_release

KILLS, SPINS, EATS = b"ends its process", b"never comes to an end", b"eats all memory"
"""In a body: what reading it does."""
SLOW_SECONDS = 0.03
MEAL_BYTES = 2 * 1024**3


class Strikes(AppConfig):
    name = "tests.faults"
    label = "faults"

    def ready(self) -> None:
        from inspector.archive.inspection import projection_store, tasks
        from inspector.archive.inspection.doorbell import doorbell
        from inspector.archive.intake import submission
        from inspector.archive.readers import child

        travel(float(os.environ.get("FAULTS_CLOCK_SECONDS", "0")))
        if os.environ.get("FAULTS_RELEASE") == "later":
            later_release.install()
        submission.accept = after(submission.accept, "commit", signal.SIGKILL)
        doorbell.ring = before(doorbell.ring, "ring", signal.SIGKILL)  # type: ignore[method-assign]
        projection_store.store_rows = before(projection_store.store_rows, "store", signal.SIGSTOP)
        tasks.readout = poisoned(tasks.readout)
        child.PROCESS = "tests.faults.poisoned_reader"


def travel(seconds: float) -> None:
    """This process's clock differs from everybody else's."""
    if seconds:
        import time_machine

        there = datetime.now(UTC) + timedelta(seconds=seconds)
        time_machine.travel(there, tick=True).start()


def before(function: Callable[..., Any], name: str, number: signal.Signals) -> Callable[..., Any]:
    def struck(*args: Any, **kwargs: Any) -> Any:
        strike(name, number)
        return function(*args, **kwargs)

    return struck


def after(function: Callable[..., Any], name: str, number: signal.Signals) -> Callable[..., Any]:
    def struck(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        strike(name, number)
        return result

    return struck


def strike(name: str, number: signal.Signals) -> None:
    if taken := take(name):
        taken.write_text(str(os.getpid()))
        os.kill(os.getpid(), number)


def take(name: str) -> Path | None:
    """Each file is one strike, whoever comes first; where it was, the struck process is named."""
    armed = folder() / name
    taken = armed.with_name(f"{name}.struck")
    try:
        armed.rename(taken)
    except FileNotFoundError:
        return None
    return taken


def folder() -> Path:
    return Path(os.environ["FAULTS_FOLDER"]) / "armed"


def poisoned(read: Callable[..., Any]) -> Callable[..., Any]:
    def reads(exchange: Any) -> Any:
        if (folder() / "slow").exists():
            time.sleep(SLOW_SECONDS)
        effect_of(exchange.body)
        return read(exchange)

    return reads


def effect_of(body: bytes) -> None:
    for poison, effect in POISONS.items():
        if poison in body:
            effect()


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def spin() -> None:
    while True:
        pass


def eat() -> None:
    bytearray(MEAL_BYTES)


POISONS: dict[bytes, Callable[[], None]] = {KILLS: kill, SPINS: spin, EATS: eat}
