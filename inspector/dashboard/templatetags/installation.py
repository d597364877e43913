"""Template tags that print commands as they are typed for this installation and this archive."""

from django import template

from inspector.configuration.archive_command import (
    archive_command,
    has_own_data_dir,
    unnamed_archive_command,
)
from inspector.installation import command_line

register = template.Library()

register.simple_tag(archive_command)
register.simple_tag(command_line)
register.simple_tag(has_own_data_dir)
register.simple_tag(unnamed_archive_command)
