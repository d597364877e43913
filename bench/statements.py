"""Statements and transactions of a claim until it is summed, for one capture and for a hundred.

Run by bench/intake.py in a process of its own: python3 bench/statements.py STORE
"""

import sys
from types import SimpleNamespace
from typing import Any

import inspecting

AT_ONCE = (1, 100)


def main(store: str) -> None:
    asked: Any = SimpleNamespace(bytes=6_500, stream=True)
    with inspecting.installation(store):
        from tests.statements import counted

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
