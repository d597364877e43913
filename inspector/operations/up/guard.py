"""Starts one program so that it does not outlive the supervisor, however that ended.

Run as a script by path, with the standard library only, to start in 20 ms. Linux kills a process
that asked for it when its parent ends: there this process asks, and becomes the program. Elsewhere
it stays beside the program as its guard.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime

PR_SET_PDEATHSIG = 1
"""Option of prctl(2)."""


def main(lifeline: int, patience: float, command: list[str]) -> None:
    """Run ``command`` in the process group that this process leads. The lifeline is a pipe that
    only the supervisor holds open.
    """
    if not is_killed_with_parent():
        guard(lifeline, patience, command)
    os.set_inheritable(lifeline, False)
    # A supervisor that ended before this asked is told by nobody else.
    if not select.select([lifeline], [], [], 0)[0]:
        os.execv(command[0], command)


def is_killed_with_parent() -> bool:
    """Ask for it; False where the system has nothing of the kind."""
    if sys.platform != "linux":
        return False
    prctl = ctypes.CDLL(None).prctl
    return bool(prctl(PR_SET_PDEATHSIG, signal.SIGKILL) == 0)


def guard(lifeline: int, patience: float, command: list[str]) -> None:
    """Run ``command``; on SIGTERM or EOF of the lifeline, asks it to end and kills it after a
    delay, with all that it started.
    """
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    threading.Thread(target=watch, args=(lifeline, patience, child), daemon=True).start()
    tell(child.wait())
    end_group()


def watch(lifeline: int, patience: float, child: "subprocess.Popen[bytes]") -> None:
    os.read(lifeline, 1)
    child.terminate()
    time.sleep(patience)
    end_group()


def tell(code: int) -> None:
    ending = f"ended by signal {-code}" if code < 0 else f"ended with code {code}"
    line = {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "level": "info" if code == 0 else "error",
        "program": os.environ.get("INSPECTOR_ROLE", "guard"),
        "event": ending,
    }
    print(json.dumps(line), file=sys.stderr, flush=True)


def end_group() -> None:
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
