"""All operations of the API, by endpoint: those of every module of this folder that has some. The
authorisation table has a row for each.
"""

from importlib import import_module
from pkgutil import iter_modules

from api.operations.operation import Endpoint

_MODULES = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]
SUBJECTS = [each for each in _MODULES if hasattr(each, "ENDPOINTS")]
ENDPOINTS: tuple[Endpoint, ...] = tuple(each for subject in SUBJECTS for each in subject.ENDPOINTS)
TAG_TEXTS: dict[str, str] = {tag: text for each in SUBJECTS for tag, text in each.TAG_TEXTS.items()}
"""Subjects of the groups of operations, by their names."""
