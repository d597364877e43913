"""What all views of the API have in common."""

from typing import Any

from rest_framework.request import Request
from rest_framework.views import APIView

from api.operation import OPERATION, Operation
from api.query_params import QueryParams, query_params


class Endpoint(APIView):
    params: QueryParams
    """What the query has of the parameters that stand above the method; others are refused."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        handler = getattr(self, str(request.method).lower())
        declared = getattr(handler, OPERATION, None)
        if declared is not None:
            self.params = query_params(request._request.GET, *query_names(declared))


def query_names(declared: Operation) -> tuple[list[str], list[str]]:
    """Return names of the parameters that stand once in a query, and of the repeatable ones."""
    once: list[str] = []
    many: list[str] = []
    for each in declared.parameters:
        if each.location == "query":
            (many if each.schema["type"] == "array" else once).append(each.name)
    if declared.filters is not None:
        once.extend(declared.filters.single())
        many.extend(declared.filters.repeatable())
    return once, many
