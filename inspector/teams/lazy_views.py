"""Views whose modules are imported by the first request: a process is there the sooner."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from inspector.teams.guards import auth_method_of

View = Callable[..., HttpResponseBase]


class LazyView:
    """Stands for a view; its attributes are the view's."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name
        self._view: View | None = None

    @property
    def is_loaded(self) -> bool:
        return self._view is not None

    def load(self) -> View:
        """Raise ``ImproperlyConfigured`` for a view that asks nobody who they are."""
        if self._view is None:
            self._view = self._imported()
        return self._view

    def _imported(self) -> View:
        named: Any = getattr(import_module(self._module), self._name)
        of_class = getattr(named, "as_view", None)
        found: View = of_class() if of_class else named
        if auth_method_of(found) is None:
            raise ImproperlyConfigured(f"{self._module}.{self._name} does not authenticate")
        return found

    def __call__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return self.load()(request, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.load(), name)


class LazyViews:
    """Stands for a module; its attributes are lazy views."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> LazyView:
        return LazyView(self._module, name)
