"""How much work something is, in steps: what a busy machine does not change."""

import sys
from collections.abc import Callable


def steps(work: Callable[[], object]) -> int:
    """How many functions are called, those written in C among them."""
    counted = 0

    def count(_frame: object, event: str, _arg: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted
