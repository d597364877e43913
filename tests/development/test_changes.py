from pathlib import Path

import pytest

from development import changes
from development.changes import Tree

FILES = {
    "inspector/urls.py": "from inspector.dashboard import views\n",
    "inspector/core/wire/sse.py": "",
    "inspector/core/reading.py": "from inspector.core.wire.sse import Splitter\n",
    "inspector/core/tape.py": "",
    "inspector/dashboard/views.py": 'HOOK = "inspector.usage.projector.update_rollups"\n',
    "inspector/usage/projector.py": "",
    "inspector/operations/management/commands/up.py": "from inspector.core import tape\n",
    "tests/conftest.py": "import pytest\n@pytest.fixture\ndef owner(): ...\n",
    "tests/people.py": "from django.test import Client\n",
    "tests/core/wire/test_sse.py": "from inspector.core.wire import sse\n",
    "tests/core/test_reading.py": "from inspector.core.reading import Reading\n",
    "tests/dashboard/test_page.py": "from tests.people import ask\n",
    "tests/operations/test_up.py": 'COMMAND = "manage.py up"\n',
    "clients/python/response_inspector/spool.py": "",
    "tests/clients/python/test_spool.py": "from response_inspector.spool import Spool\n",
    "tests/operations/test_image.py": 'FILE = "Dockerfile"\n',
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Tree(tmp_path)


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("inspector/core/wire/sse.py", {"test_sse", "test_reading"}),
        ("inspector/core/reading.py", {"test_reading"}),
        ("inspector/core/tape.py", {"test_up"}),
        ("inspector/usage/projector.py", {"test_page"}),
        ("tests/core/wire/test_sse.py", {"test_sse"}),
        ("templates/dashboard/base.html", {"test_page"}),
        ("static/dashboard/player.js", {"test_page"}),
        ("clients/python/response_inspector/spool.py", {"test_spool"}),
        ("Dockerfile", {"test_image"}),
        ("inspector/core/removed.py", set()),
        ("docs/rules.md", set()),
    ],
)
def test_a_change_reaches_the_tests_that_lead_to_it(
    tree: Tree, changed: str, tests: set[str]
) -> None:
    reached = {Path(path).stem for path in tree.reached_by({changed})}
    assert {name for name in reached if name.startswith("test_")} == tests


@pytest.mark.parametrize(
    "changed", ["pyproject.toml", "inspector/settings.py", "tests/conftest.py"]
)
def test_what_everything_stands_on_reaches_everything(tree: Tree, changed: str) -> None:
    assert tree.reached_by({changed}) == set(FILES)


def test_a_fixture_leads_to_its_conftest_where_it_is_named(tree: Tree) -> None:
    assert list(tree.fixtures_of("tests/core/test_a.py", "def test_a(owner): ...")) == [
        "tests/conftest.py"
    ]
    assert list(tree.fixtures_of("tests/core/test_a.py", "def test_a(): ...")) == []


def test_a_change_of_this_project_is_found_by_git() -> None:
    with pytest.raises(changes.UnknownCommit, match="^fatal: .*nowhere"):
        changes.changed_files("nowhere")
    assert isinstance(changes.changed_files("HEAD"), set)


def test_a_machine_without_git_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(changes.UnknownCommit, match="no git"):
        changes.git("status")


@pytest.mark.thorough
def test_a_core_module_reaches_its_own_tests_and_not_those_beside_it() -> None:
    reached = Tree(changes.ROOT).reached_by({"inspector/core/wire/sse.py"})
    assert "tests/core/wire/test_sse.py" in reached
    assert "tests/core/tokens/test_money.py" not in reached


def test_a_script_reaches_all_tests_in_node() -> None:
    player = "tests/static/player/column.test.js"
    assert player in changes.scripts_reached_by({"static/dashboard/copy.js"})
    assert player in changes.scripts_reached_by({player})
    assert changes.scripts_reached_by({"inspector/core/wire/sse.py", "static/style.css"}) == set()
