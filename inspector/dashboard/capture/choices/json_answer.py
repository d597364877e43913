"""An answer that is JSON as a tree, with what the schema of the request says of it."""

from collections.abc import Mapping

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from inspector.core.completion import SchemaRemark
from inspector.core.json import Json
from inspector.core.tool_calls.schema_check import text_remarks
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.tool_calls.argument_tree import (
    ArgumentTree,
    argument_tree_of,
    parse_arguments,
)
from inspector.dashboard.capture.tool_calls.schema_check import schema_check

TEMPLATE = "dashboard/capture/panels/choices_json.html"
NODES = 900
"""Nodes of one answer."""
NO_JSON = "Shown as text: it is not JSON."


def looks_like_json(text: object) -> bool:
    return isinstance(text, str) and text.lstrip()[:1] in ("{", "[")


def render_json(text: str, schema: Json, view: CaptureView) -> tuple[SafeString | None, str]:
    """Return the answer as a tree; None with the reason why it is shown as text."""
    try:
        value = parse_arguments(text)
    except (ValueError, RecursionError):
        return None, NO_JSON
    remarks = text_remarks(text, schema) if schema is not None else ()
    context = {
        "view": view,
        "tree": tree_at(view, value, remarks_by_pointer(remarks)),
        "check": schema_check(remarks, schema, value),
        "has_schema": schema is not None,
    }
    return render_to_string(TEMPLATE, context), ""


def tree_at(view: CaptureView, value: Json, remarks: Mapping[str, str]) -> ArgumentTree | None:
    """Return the tree from the place that is asked for; all of it where there is no such place."""
    at, start = view.query_params.get("choices_at", ""), view.number("choices_item") or 0
    found = argument_tree_of(value, at, start, NODES, remarks)
    return found or argument_tree_of(value, nodes=NODES, remarks=remarks)


def remarks_by_pointer(remarks: tuple[SchemaRemark, ...]) -> dict[str, str]:
    """Return the first remark of each place, as the tree shows it."""
    found: dict[str, str] = {}
    for remark in remarks:
        found.setdefault(remark.pointer, f"schema: {remark.message}")
    return found
