"""Lowers the priority of worker and sweep, so that intake comes first (decision 32)."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""About a tenth of a busy processor, and all of an idle one."""


def lower_priority() -> None:
    """Lowers the priority of this process and its descendants."""
    os.nice(NICENESS)


def lower_session_priority(session: int) -> None:
    """Lowers the priority of a new session and its descendants."""
    with suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PGRP, session, NICENESS)
    # Linux may first share CPU time among sessions and apply niceness only within one (sched(7),
    # autogroup). Other systems lack the file.
    with suppress(OSError):
        Path(f"/proc/{session}/autogroup").write_text(str(NICENESS))
