"""Two installations, each on servers of its own, that all rows share; none of it is a run's own
database, so this folder is run once, beside what is run on PostgreSQL and Redis.
"""

import pkgutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

from development import servers
from tests.faults import breaks
from tests.faults.form import FORMS, Form
from tests.faults.proxied import breaks as proxied_breaks
from tests.faults.proxied.rows import PROXY_ROWS, ProxyRow
from tests.faults.proxied.stack import ProxyStack
from tests.faults.report import Report
from tests.faults.rows import ROWS, Row
from tests.faults.stacks import Stack

Started = TypeVar("Started", bound=Stack)
HERE = Path(__file__).parent
SMOKE = "W2"
"""The row of the default tier; the others are of ``manage.py test --all``."""
ROW_SECONDS = {"short": 1500, "long": 7200}

for folder in (breaks, proxied_breaks):
    for found in pkgutil.iter_modules(folder.__path__):
        import_module(f"{folder.__name__}.{found.name}")


def chosen(config: pytest.Config) -> Form:
    return FORMS[config.getoption("--faults")]


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Report(), "faults")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.timeout(ROW_SECONDS[chosen(config).name]))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A case for each row; the long form has one for each of its stacks, several times."""
    rows = {"row": ROWS, "proxy_row": PROXY_ROWS}
    for name in rows.keys() & set(metafunc.fixturenames):
        metafunc.parametrize((name, "stack_name"), cases(rows[name], chosen(metafunc.config)))


def cases(rows: Sequence[Row | ProxyRow], form: Form) -> list[ParameterSet]:
    return [
        pytest.param(
            row,
            stack,
            id=row.name if form.runs == 1 else f"{row.name}-{stack}-{run}",
            marks=() if row.name == SMOKE else pytest.mark.thorough,
        )
        for row in sorted(rows, key=lambda row: (row.stacks[0], row.name))
        for stack in (row.stacks if form.is_long else row.stacks[:1])
        for run in range(1, form.runs + 1)
    ]


@pytest.fixture(scope="session")
def form(pytestconfig: pytest.Config) -> Form:
    return chosen(pytestconfig)


@pytest.fixture(scope="session")
def open_stack(
    form: Form, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], AbstractContextManager[Stack]]]:
    yield from opener(Stack, form, tmp_path_factory)


@pytest.fixture(scope="session")
def open_proxy(
    form: Form, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], AbstractContextManager[ProxyStack]]]:
    yield from opener(ProxyStack, form, tmp_path_factory)


def opener(
    kind: type[Started], form: Form, folders: pytest.TempPathFactory
) -> Iterator[Callable[[str], AbstractContextManager[Started]]]:
    """Started when a row asks for it, ended with the run, or with the row that fails on it."""
    opened: dict[str, Started] = {}
    programs = servers.find()
    assert programs, servers.HOW_TO_GET_THEM
    with ExitStack() as ending:

        @contextmanager
        def stack_named(name: str) -> Iterator[Started]:
            if name not in opened:
                stack = kind(name, form, folders.mktemp(name), programs)
                ending.callback(stack.end)
                stack.start()
                opened[name] = stack
            try:
                yield opened[name]
            except pytest.skip.Exception:
                raise
            except BaseException:
                # What a row that failed leaves behind is nothing to begin the next one with.
                opened.pop(name).end()
                raise

        yield stack_named
