"""Work in a process of its own, for one that stays: what the work imports ends with it."""

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar

from inspector.operations.operator_error import OperatorError
from inspector.operations.up.guard import is_killed_with_parent

Done = TypeVar("Done")


def apart(work: Callable[[], Done]) -> Done:
    """Return what ``work`` returns, or raise its ``OperatorError``. An error of another kind is
    told where it happens, and ends this process too.

    The process is a fork: it begins with what is imported here, so that nothing is imported twice.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _become(work, writing)
    os.close(writing)
    try:
        with open(reading, "rb") as told:
            result = told.read()
    except BaseException:
        os.kill(child, signal.SIGTERM)
        raise
    finally:
        os.waitpid(child, 0)
    if not result:
        sys.exit(1)
    done, refusal = pickle.loads(result)
    if refusal is not None:
        raise OperatorError(refusal)
    return done  # type: ignore[no-any-return]


def _become(work: Callable[[], object], writing: int) -> NoReturn:
    """Never returns to what else this process would do: that is its parent's."""
    try:
        is_killed_with_parent()
        with open(writing, "wb") as told:
            pickle.dump(_outcome(work), told)
    except KeyboardInterrupt:
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
        finally:
            os._exit(0)


def _outcome(work: Callable[[], object]) -> tuple[object, str | None]:
    try:
        return work(), None
    except OperatorError as error:
        return None, str(error)
