"""Headers of every answer below a link, refusals and errors of the server included: the address is
a secret, which no other site and no search engine is told.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]

BELOW = "/shared/"
HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def tell_nobody_of_links(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.path_info.startswith(BELOW):
            for name, value in HEADERS.items():
                response[name] = value
        return response

    return middleware
