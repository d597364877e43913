"""Statements and transactions of a claim until it is summed, for one capture and for a hundred.

Run by bench/intake.py in a process of its own: python3 bench/statements.py STORE
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import inspecting

AT_ONCE = (1, 100)


@dataclass(slots=True)
class Counted:
    statements: int = 0
    transactions: int = 0


@contextmanager
def counted() -> Iterator[Counted]:
    from django.db import connection, transaction

    found = Counted()
    enter = transaction.Atomic.__enter__

    def execute(run: Callable[..., Any], *statement: Any) -> Any:
        found.statements += 1
        return run(*statement)

    def enters(atomic: transaction.Atomic) -> None:
        found.transactions += not connection.in_atomic_block
        enter(atomic)

    transaction.Atomic.__enter__ = enters  # type: ignore[method-assign]
    try:
        with connection.execute_wrapper(execute):
            yield found
    finally:
        transaction.Atomic.__enter__ = enter  # type: ignore[method-assign]


def main(store: str) -> None:
    asked: Any = SimpleNamespace(bytes=6_500, stream=True)
    with inspecting.installation(store):
        for captures in AT_ONCE:
            # A new series, or a new set of fields, is stored with the first that has it.
            inspecting.accept(1, asked, at_once=1)
            inspecting.inspect()
            inspecting.accept(captures, asked, at_once=captures)
            with counted() as found:
                inspecting.inspect()
            print(f"{captures}: {found.statements} statements, {found.transactions} transactions")


if __name__ == "__main__":
    main(sys.argv[1])
