"""Rows of an app are reached through the app: no other module makes a queryset of its models."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).parent.parent.parent
MANAGERS = {"objects", "_default_manager", "_base_manager"}
SHORTCUTS = {"get_object_or_404", "get_list_or_404", "get_model", "get_user_model"}
MODELS = {
    (module, model.__name__)
    for model in apps.get_models()
    if model.__module__.startswith("inspector.")
    # A package of models hands out its modules' classes, as every module of models does its own.
    for module in {model.__module__, f"{model._meta.app_config.name}.models"}
}
TYPES_ONLY = {
    "inspector/dashboard/people/sign_in_views.py": {"User"},
    "inspector/dashboard/people/account_views.py": {"User"},
    "inspector/dashboard/people/forms.py": {"User"},
    "inspector/operations/management/commands/sign_in_link.py": {"User"},
    "inspector/sessions/membership.py": {"Inspection"},
    "inspector/sessions/turn_rows.py": {"Capture", "Inspection"},
}
"""Who may name another app's model, because Django or an event of the archive hands it a row; none
makes a query of it.
"""
HANDED_TO_SUBSCRIBERS = {"Capture"}


def sources() -> Iterator[Path]:
    for folder in ("inspector", "api"):
        # Reading knows no models, and a set of names there is called "objects".
        found = (path for path in (ROOT / folder).rglob("*.py") if "core" not in path.parts)
        yield from (path for path in found if "migrations" not in path.parts)


def app_of(path: str) -> str:
    """``inspector/usage/cost/prices.py``: ``inspector.usage``."""
    return ".".join(path.split("/")[:2])


def problems(path: str, tree: ast.Module) -> Iterator[str]:
    owned = own_models(path, tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in MANAGERS:
            if not (isinstance(node.value, ast.Name) and node.value.id in owned):
                yield f"{path}:{node.lineno} {ast.unparse(node)}"
        elif isinstance(node, ast.Name) and node.id in SHORTCUTS:
            yield f"{path}:{node.lineno} {node.id}"
        elif isinstance(node, ast.ImportFrom):
            yield from foreign_models(path, node)


def own_models(path: str, tree: ast.Module) -> set[str]:
    """Return the names in it that stand for a model of the module's own app."""
    own = f"{app_of(path)}.models"
    names = {name for module, name in MODELS if module == own} if is_models(path) else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == own:
            names |= {alias.name for alias in node.names if (own, alias.name) in MODELS}
    return names


def is_models(path: str) -> bool:
    """``inspector/teams/models.py``, or a module of ``inspector/archive/models``."""
    return Path(path).with_suffix("").parts[2:3] == ("models",)


def foreign_models(path: str, node: ast.ImportFrom) -> Iterator[str]:
    """Only models may point to models elsewhere: a foreign key is no query."""
    if is_models(path) or node.module == f"{app_of(path)}.models":
        return
    known = (
        HANDED_TO_SUBSCRIBERS if Path(path).name == "subscriber.py" else TYPES_ONLY.get(path, ())
    )
    for alias in node.names:
        named = (node.module, alias.name) in MODELS and alias.name not in known
        if named or (node.module or "").startswith("inspector.") and alias.name == "models":
            yield f"{path}:{node.lineno} imports {alias.name}"


def test_no_module_makes_querysets_of_another_apps_models() -> None:
    found: list[str] = []
    for source in sources():
        path = str(source.relative_to(ROOT))
        found += problems(path, ast.parse(source.read_text()))
    assert found == []


@pytest.mark.parametrize(
    "program",
    [
        "from inspector.archive.models import Capture\nCapture.objects.all()",
        "from inspector.archive import models\nmodels.Capture.objects.all()",
        "from inspector.archive import models as m\nm.Capture._default_manager.all()",
        "from django.shortcuts import get_object_or_404\nget_object_or_404(x, pk=1)",
        "type(capture).objects.all()",
        "apps = get_model('archive', 'Capture')",
        "from inspector.archive.models.captures import Capture\nCapture.objects.all()",
        "import inspector.archive.models\ninspector.archive.models.Capture.objects.get()",
    ],
)
def test_a_second_door_would_be_seen(program: str) -> None:
    assert list(problems("inspector/dashboard/capture/views.py", ast.parse(program)))


def test_an_app_makes_its_own() -> None:
    program = "from inspector.archive.models import Capture\nCapture.objects.all()"
    assert not list(problems("inspector/archive/queries.py", ast.parse(program)))
