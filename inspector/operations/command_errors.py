"""Turns expected errors of a command into one line on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import DatabaseError

from inspector.installation import PROGRAM

NO_ARCHIVE = f"the archive cannot be used ({{}}); {PROGRAM} up makes it on its first start"


@contextmanager
def one_line_errors() -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    except ValueError as error:
        raise CommandError(str(error)) from error
    except DatabaseError as error:
        raise CommandError(NO_ARCHIVE.format(error)) from error
