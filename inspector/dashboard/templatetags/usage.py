"""Addresses of the captures behind a drawing."""

from __future__ import annotations

from django import template

from inspector.dashboard import usage_groups
from inspector.dashboard.usage_charts import Column

register = template.Library()


@register.simple_tag
def slot_query(column: Column) -> str:
    return usage_groups.slot_query(column.start, column.end)
