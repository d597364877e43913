"""Statements and outermost transactions of this process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection, transaction


@dataclass(slots=True)
class Counted:
    statements: int = 0
    transactions: int = 0


@contextmanager
def counted() -> Iterator[Counted]:
    found = Counted()
    enter = transaction.Atomic.__enter__

    def execute(run: Callable[..., Any], *statement: Any) -> Any:
        found.statements += 1
        return run(*statement)

    def enters(atomic: transaction.Atomic) -> None:
        found.transactions += not connection.in_atomic_block
        enter(atomic)

    with pytest.MonkeyPatch.context() as patch, connection.execute_wrapper(execute):
        patch.setattr(transaction.Atomic, "__enter__", enters)
        yield found
