"""Process between the supervisor and one child, so that no child outlives the supervisor.

Run as a script by path, with the standard library only, to start in 20 ms. The guard leads a
process group that its child and all descendants belong to. It kills the whole group, itself
included, when the child ends or the supervisor is gone. The latter shows as EOF on a pipe that only
the supervisor holds open (the lifeline), however the supervisor died.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime


def main(lifeline: int, patience: float, command: list[str]) -> None:
    """Runs ``command``; on SIGTERM or the lifeline's EOF asks it to end, later kills it."""
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
