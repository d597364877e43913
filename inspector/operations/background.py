"""What gives way: on a machine that has not enough for everybody, answers come before readings."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""About a tenth of a processor that somebody else wants whole; all of what nobody wants."""


def give_way() -> None:
    """This process and what it becomes or starts."""
    os.nice(NICENESS)


def send_back(session: int) -> None:
    """All processes of a session that was just started, and what they start."""
    with suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PGRP, session, NICENESS)
    # Linux may share the processors among sessions first, and then heeds niceness only inside of
    # one (sched(7), the autogroup feature). Elsewhere the file is not there.
    with suppress(OSError):
        Path(f"/proc/{session}/autogroup").write_text(str(NICENESS))
