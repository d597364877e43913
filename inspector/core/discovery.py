"""Finds plug-ins: constants of one name in all modules of a package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def constants_in(package: str, name: str) -> Iterator[Any]:
    """Yield the constant of every module that defines it, in the order of module names."""
    paths = import_module(package).__path__
    for module in sorted(iter_modules(paths), key=lambda module: module.name):
        value = getattr(import_module(f"{package}.{module.name}"), name, None)
        if value is not None:
            yield value
