"""Content types and OPTIONS as Django REST framework is told of them, by its settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rest_framework.metadata import BaseMetadata
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

if TYPE_CHECKING:
    # The framework's views import this module by its name in the settings.
    from rest_framework.views import APIView


class AlwaysJSON(BaseContentNegotiation):
    """Content negotiation: the API always answers in JSON, whatever ``Accept`` says."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> None:
        """Return None: bodies are read by ``api.body``, never by a parser of the framework."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class MethodsOnly(BaseMetadata):
    """Answers OPTIONS: what the address takes, as ``Allow`` says."""

    def determine_metadata(self, request: Request, view: APIView) -> dict[str, list[str]]:
        return {"methods": view.allowed_methods}
