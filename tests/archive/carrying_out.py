"""Work in the background, done at once in the test's own process."""

from inspector.archive.background import bulk_steps
from inspector.work.run import Kind, run_one


def carry_out(kind: Kind = bulk_steps.KIND) -> None:
    while run_one(kind):
        pass
