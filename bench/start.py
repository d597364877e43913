"""Cost of a start of the embedded installation: seconds and processor by step, then what stands
there.

    python3 bench/start.py [--rounds N] [--idle SECONDS] [--busy LOOPS]

Each round starts an empty data directory from a made environment, waits until its samples are
inspected, looks at the processes while nothing is asked of them, ends all and starts the directory
again. Processor time counts every process; PSS shares out memory that processes have in common.
With --busy so many endless loops compete for the processors. Linux only, loopback only.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from databases import Database  # noqa: E402
from started_systems import CLOCK_TICKS, ROOT, above, command, environment_in, every_process  # noqa: E402

from development.servers import free_port  # noqa: E402

STEP = re.compile(r" *[0-9.]+ s  (.+) …")
READY = "Response Inspector is ready"
SAMPLES_WITHIN_SECONDS = 600.0
NOT_INSPECTED = "SELECT count(*) FROM archive_capture WHERE state <> 'inspected'"
LOOP = "while True: pass"
IMPORTS = """
import sys, time
import django
django.setup()
import inspector.urls
ours = [name for name in sys.modules if name.partition(".")[0] in ("inspector", "api")]
print(time.process_time(), len(ours), len(sys.modules))
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a step began, in seconds since the start by the clock and of the processor."""

    step: str
    seconds: float
    cpu_seconds: float


def tree(root: int) -> list[int]:
    every = {process.id: process for process in every_process()}
    return [root, *(pid for pid, each in every.items() if root in above(each, every))]


def cpu_seconds(root: int) -> float:
    """Return the seconds of all processes, those included that ended and were waited for."""
    return sum(map(_cpu_ticks, tree(root))) / CLOCK_TICKS


def _cpu_ticks(pid: int) -> int:
    with suppress(OSError):
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, told[11:15]))
    return 0


def pss_mb(pid: int) -> float:
    with suppress(OSError):
        found = re.search(r"Pss: +(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text())
        return int(found[1]) / 1000 if found else 0.0
    return 0.0


@contextmanager
def started(folder: Path) -> Iterator[tuple[int, list[Moment]]]:
    """Yield the process above all others, once web and proxy answer, and the steps until then."""
    words = ("up", "--port", str(free_port()), "--proxy-port", str(free_port()))
    began = time.monotonic()
    environment = environment_in(folder) | {"PYTHONUNBUFFERED": "1"}
    up = subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        moments = [Moment("imports", 0.0, 0.0)]
        for line in up.stdout or ():
            name = "ready" if READY in line else (STEP.match(line) or ["", ""])[1]
            if name:
                seconds = time.monotonic() - began
                moments.append(Moment(name, seconds, cpu_seconds(up.pid)))
            if name == "ready":
                break
        yield up.pid, moments
    finally:
        up.send_signal(signal.SIGTERM)
        up.communicate()


def until_inspected(folder: Path, root: int) -> Moment:
    began, database = time.monotonic(), Database(str(folder / "inspector.sqlite3"))
    while database.number(NOT_INSPECTED):
        if time.monotonic() - began > SAMPLES_WITHIN_SECONDS:
            raise SystemExit("the samples were not inspected")
        time.sleep(0.05)
    return Moment("samples inspected", time.monotonic() - began, cpu_seconds(root))


def told_steps(title: str, moments: list[Moment]) -> Table:
    table = Table("step", "seconds", "processor s", box=None, title=title)
    for this, following in zip(moments, moments[1:], strict=False):
        seconds = f"{following.seconds - this.seconds:.1f}"
        table.add_row(this.step, seconds, f"{following.cpu_seconds - this.cpu_seconds:.1f}")
    last = moments[-1]
    table.add_row(last.step, f"{last.seconds:.1f}", f"{last.cpu_seconds:.1f}")
    return table


def told_processes(root: int, idle_seconds: float) -> Table:
    pids = tree(root)
    before = {pid: _cpu_ticks(pid) for pid in pids}
    time.sleep(idle_seconds)
    table = Table("process", "PSS MB", "% of a core, idle", box=None)
    rows = [
        (name_of(pid), pss_mb(pid), (_cpu_ticks(pid) - before[pid]) / CLOCK_TICKS / idle_seconds)
        for pid in pids
    ]
    for name, mb, share in sorted(rows, key=lambda row: -row[1]):
        table.add_row(name, f"{mb:.0f}", f"{share:.2%}")
    table.add_row(
        f"{len(rows)} processes",
        f"{sum(mb for _, mb, _ in rows):.0f}",
        f"{sum(share for *_, share in rows):.2%}",
    )
    return table


def name_of(pid: int) -> str:
    """Return the last words of its command line that are no options' values."""
    words = command(pid).replace(b"\0", b" ").decode(errors="replace").split()
    known = ("guard.py", "spawn_main", "celery", "granian", "sweep", "inspector.proxy", "up")
    return next((name for name in known if any(name in word for word in words)), " ".join(words))


def imports() -> str:
    environment = environment_in(Path(tempfile.gettempdir())) | {
        "DJANGO_SETTINGS_MODULE": "inspector.settings",
        "INSPECTOR_ROLE": "web",
    }
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, ours, every = done.stdout.split()
    return (
        f"all addresses: {float(seconds):.2f} s of processor, {ours} of our modules, {every} in all"
    )


@contextmanager
def busy(loops: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(loops):
            stack.callback(stack.enter_context(subprocess.Popen([sys.executable, "-c", LOOP])).kill)
        yield


def one_round(idle_seconds: float, console: Console) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with started(folder) as (root, moments):
            inspected = until_inspected(folder, root)
            console.print(told_steps("first start", moments))
            ready = moments[-1].cpu_seconds
            console.print(
                f"samples inspected {inspected.seconds:.1f} s later,"
                f" {inspected.cpu_seconds - ready:.1f} of processor"
            )
            console.print(told_processes(root, idle_seconds))
        with started(folder) as (_, moments):
            console.print(told_steps("second start", moments))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idle", type=float, default=20.0, help="seconds to look at idle programs")
    parser.add_argument("--busy", type=int, default=0, help="endless loops beside it")
    asked = parser.parse_args()
    console = Console(width=100)
    with busy(asked.busy):
        for number in range(asked.rounds):
            load = " ".join(f"{each:.1f}" for each in os.getloadavg())
            console.rule(f"round {number + 1}, load average {load}")
            console.print(imports())
            one_round(asked.idle, console)


if __name__ == "__main__":
    main()
