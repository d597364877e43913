from django.conf import settings
from django.urls import include, path

from api.urls import ROWS
from inspector.dashboard.error_pages import not_found, server_error
from inspector.mcp import urls as mcp
from inspector.teams.authorisation import declare_rows
from inspector.teams.route_check import load_views, require_declared

urlpatterns = [
    path("", include("api.urls")),
    path("", include(mcp)),
    path("", include("inspector.dashboard.urls")),
]

handler404 = not_found
handler500 = server_error

declare_rows(ROWS)
declare_rows([mcp.ROW])
if settings.IS_WEB and not settings.IS_EMBEDDED:
    # Somebody always waits there: no request may wait for modules, too.
    load_views(urlpatterns)
require_declared(urlpatterns)
