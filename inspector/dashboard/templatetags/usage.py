"""Addresses of the captures behind a drawing."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

from inspector.dashboard import usage_page
from inspector.dashboard.usage_charts import Column

register = template.Library()


@register.simple_tag
def slot_query(column: Column) -> SafeString:
    # Digits, letters and percent escapes, as urlencode writes them.
    return mark_safe(usage_page.slot_query(column.start, column.end).replace("&", "&amp;"))
