"""Optional features, and the modules outside of them that know their names: at most six each. A module
that knows one more is a seam that is missing.

A feature has a folder in each layer that it needs; these are its own. A list only shrinks: what no
longer names the feature is taken off.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pytest

from development.runs import ROOT
from development.structure import Module, modules

MOST = 6


@dataclass(frozen=True)
class Seam:
    """``own`` are the modules and folders of a feature, ``known_to`` the modules outside."""

    own: tuple[str, ...]
    known_to: tuple[str, ...] = ()


SEAMS = {
    "sharing": Seam(
        own=(
            "inspector.sharing",
            "inspector.dashboard.sharing",
            "api.shares",
        ),
        known_to=(
            "api.urls",
            "inspector.dashboard.capture.actions.part",
            "inspector.dashboard.urls",
            "inspector.operations.sweeping",
            "inspector.settings",
        ),
    ),
    "telemetry": Seam(
        own=(
            "inspector.telemetry",
            "inspector.core.telemetry",
            "inspector.transfer.telemetry",
            "api.telemetry",
        ),
        known_to=(
            "api.urls",
            "inspector.core.parse_body",
            "inspector.operations.sweeping",
            "inspector.settings",
            "inspector.transfer.files.otlp_spans",
            "inspector.transfer.uploads.kinds",
        ),
    ),
    "feedback": Seam(
        own=(
            "inspector.feedback",
            "inspector.dashboard.feedback",
            "inspector.dashboard.capture.feedback",
            "inspector.operations.management.commands.rotate_feedback_keys",
            "api.feedback",
        ),
        known_to=(
            "api.service.root",
            "api.urls",
            "inspector.dashboard.capture.choices.panel",
            "inspector.dashboard.urls",
            "inspector.period_usage",
            "inspector.settings",
        ),
    ),
    "sessions": Seam(
        own=(
            "inspector.sessions",
            "inspector.dashboard.sessions",
            "inspector.dashboard.templatetags.sessions",
            "api.sessions",
        ),
        known_to=(
            "api.urls",
            "inspector.dashboard.urls",
            "inspector.period_usage",
            "inspector.settings",
        ),
    ),
    "drift": Seam(
        own=("inspector.usage.drift",),
        known_to=(
            "api.usage",
            "inspector.dashboard.usage.drift_feed",
            "inspector.dashboard.usage.drift_sentences",
            "inspector.dashboard.usage.views",
            "inspector.operations.sweeping",
        ),
    ),
    "compare": Seam(
        own=("inspector.dashboard.compare",),
        known_to=("inspector.dashboard.urls", "inspector.mcp.tools.compare_captures"),
    ),
    "mcp": Seam(
        own=("inspector.mcp",),
        known_to=("inspector.urls",),
    ),
    "redaction": Seam(
        own=(
            "inspector.core.redaction",
            "inspector.archive.redaction",
            "inspector.archive.redaction_dry_run",
            "inspector.archive.redaction_rules",
            "inspector.dashboard.redaction",
            "inspector.formatting.redaction_faults",
            "api.redaction",
        ),
        known_to=(
            "api.urls",
            "inspector.archive.background.redacting",
            "inspector.archive.intake.submission",
            "inspector.core.preparation",
            "inspector.core.request.request_echo",
            "inspector.dashboard.urls",
        ),
    ),
    "exports": Seam(
        own=(
            "inspector.transfer.exports",
            "inspector.transfer.subscriber",
            "inspector.dashboard.exports",
            "inspector.operations.management.commands.export_archive",
            "api.exports",
        ),
        known_to=(
            "api.urls",
            "inspector.dashboard.urls",
            "inspector.operations.sweeping",
        ),
    ),
    "files of other programs": Seam(
        own=("inspector.transfer.files", "inspector.dashboard.paste", "api.captures.files"),
        known_to=(
            "api.urls",
            "inspector.dashboard.urls",
            "inspector.operations.remote.send",
            "inspector.operations.remote.tee",
            "inspector.operations.reports.input_files",
            "inspector.transfer.uploads.files",
        ),
    ),
    "fixtures": Seam(
        own=(
            "inspector.transfer.fixtures",
            "inspector.transfer.capture_fixture",
            "inspector.dashboard.capture.fixture_views",
        ),
        known_to=(
            "api.captures.parts",
            "inspector.dashboard.templatetags.places",
            "inspector.dashboard.urls",
            "inspector.operations.reports.inspect_command",
            "inspector.transfer.exports.har_log",
        ),
    ),
    "uploads": Seam(
        own=(
            "inspector.transfer.uploads",
            "inspector.operations.management.commands.retry_uploads",
            "api.uploads",
        ),
        known_to=(
            "api.captures.files",
            "api.telemetry.traces",
            "inspector.operations.sweeping",
        ),
    ),
    "remote commands": Seam(
        own=("inspector.operations.remote",),
        known_to=(
            "inspector.command_line",
            "inspector.operations.command_overview",
            "inspector.operations.run.captured_calls",
        ),
    ),
    "pages of other origins": Seam(
        own=("api.cross_origin",),
        known_to=(
            "api.authentication",
            "api.captures.batch",
            "api.captures.capture_list",
            "inspector.mcp.endpoint",
        ),
    ),
    "run": Seam(
        own=("inspector.operations.run",),
        known_to=("inspector.command_line",),
    ),
    "replay": Seam(
        own=(
            "inspector.operations.replay",
            "inspector.operations.management.commands.replay",
        ),
    ),
    "proxy": Seam(
        own=("inspector.proxy",),
        known_to=("inspector.operations.up.programs",),
    ),
}


Names = Mapping[str, frozenset[str]]
"""Modules, each with what it imports and the texts in it."""


def outsiders(found: Names, own: tuple[str, ...]) -> list[str]:
    """The modules outside that import something of a feature, or name it in a text."""
    return [
        module
        for module, names in found.items()
        if not is_within(module, own) and any(is_within(name, own) for name in names)
    ]


def names_of(found: Iterable[Module]) -> Names:
    return {module.name: frozenset(named_by(module)) for module in found}


def named_by(module: Module) -> Iterator[str]:
    yield from module.imports()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def is_within(name: str, own: tuple[str, ...]) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in own)


def test_a_feature_is_known_to_the_modules_of_its_list_and_to_no_other() -> None:
    product = names_of(modules(ROOT))
    assert {feature: outsiders(product, seam.own) for feature, seam in SEAMS.items()} == {
        feature: [*seam.known_to] for feature, seam in SEAMS.items()
    }


def test_a_feature_is_known_to_six_modules_at_most() -> None:
    assert [feature for feature, seam in SEAMS.items() if len(seam.known_to) > MOST] == []


def test_every_folder_of_transfer_is_of_a_feature() -> None:
    """Modules that several features share are beside the folders."""
    names = [module.name for module in modules(ROOT)]
    parts = [name.split(".") for name in names if name.startswith("inspector.transfer.")]
    folders = {f"inspector.transfer.{part[2]}" for part in parts if len(part) > 3}
    assert folders - {"inspector.transfer.migrations"} <= set(owned())


def test_every_module_of_a_feature_is_there() -> None:
    assert set(owned()) <= {module.name for module in modules(ROOT)}


def owned() -> list[str]:
    return [each for seam in SEAMS.values() for each in seam.own]


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("import shop.extra", True),
        ("from shop.extra import prices", True),
        ("from shop import extra", True),
        ('SUBSCRIBERS = ["shop.extra.subscriber"]', True),
        ("from shop import extras", False),
        ("from shop.extra_prices import prices", False),
        ('"""Unlike shop.extra, this is plain."""', False),
    ],
)
def test_who_imports_a_feature_or_names_it_is_told(text: str, is_told: bool) -> None:
    found = [Module("shop.till", text, is_package=False), Module("shop.extra.prices", text, False)]
    assert outsiders(names_of(found), ("shop.extra",)) == (["shop.till"] if is_told else [])
