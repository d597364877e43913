"""Template tags that know whether the program runs from a checkout or was installed."""

from __future__ import annotations

from django import template

from inspector.installation import command_line

register = template.Library()

register.simple_tag(command_line)
