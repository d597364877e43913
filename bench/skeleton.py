"""The least that an intake on this stack has to do: a view of Django REST framework and an INSERT.

No authentication, no limits, no validation, no deduplication, no compression: a ceiling for ours,
not a promise. Served as ours is, with the same settings of the database.
"""

import os
from pathlib import Path

import msgspec
from django.conf import settings
from rows import INSERT, row

from inspector.configuration import stack

URL = os.environ["SKELETON_DATABASE"]

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="of a measurement",
    DATABASES={
        "default": stack.postgresql(URL, "", is_web=True)
        if URL.startswith("postgresql:")
        else stack.sqlite(Path(URL), is_web=True)
    },
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_PARSER_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
    },
)

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402

application = get_wsgi_application()

from rest_framework.request import Request  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402


class One(APIView):
    def post(self, request: Request) -> Response:
        made = row(request._request.body, request._request.content_type)
        with connection.cursor() as cursor:
            cursor.execute(INSERT, made)
        return Response({"id": made[0]}, status=202)


class Batch(APIView):
    """Lines of JSON, each decoded and stored, all by one commit."""

    def post(self, request: Request) -> Response:
        made = []
        for line in request._request.body.splitlines():
            msgspec.json.decode(line)
            made.append(row(line))
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(INSERT, made)
        return Response([each[0] for each in made], status=202)


def ready(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ready")


urlpatterns = [path("", One.as_view()), path("batch/", Batch.as_view()), path("readyz", ready)]
