"""The installation itself: its description, its health, and the routes outside the document."""

from api.operations.operation import Endpoint, Operation, ResponseBody
from api.schemas.addresses import V1
from api.schemas.service import Liveness, Readiness, ServiceDescription
from inspector.teams.authorisation import ANY_SCOPE, ANYBODY, METHODS, AuthMethod

TAG = "service"
TAG_TEXTS = {TAG: "The installation: limits, versions, health"}

ROOT = Endpoint(
    "api:root",
    V1,
    TAG,
    (
        Operation(
            "GET",
            "describe_service",
            ANY_SCOPE,
            "get limits, versions, filters and links",
            {200: ResponseBody("the description", ServiceDescription)},
        ),
    ),
)
LIVEZ = Endpoint(
    "api:livez",
    "livez",
    TAG,
    (
        Operation(
            "GET",
            "is_alive",
            ANYBODY,
            "tell whether the process answers",
            {200: ResponseBody("the process answers", Liveness)},
        ),
    ),
    AuthMethod.OPEN,
)
READYZ = Endpoint(
    "api:readyz",
    "readyz",
    TAG,
    (
        Operation(
            "GET",
            "is_ready",
            ANYBODY,
            "tell whether a capture could be stored now",
            {
                200: ResponseBody("a capture could be stored", Readiness),
                503: ResponseBody(
                    "no capture could be stored; `checks` names what failed", Readiness
                ),
            },
        ),
    ),
    AuthMethod.OPEN,
)
ADMISSION = Endpoint(
    "api:admission", "admission", auth=AuthMethod.OPEN, undescribed={"GET": ANYBODY}
)
METRICS = Endpoint("api:metrics", "metrics", auth=AuthMethod.OPERATOR, undescribed={"GET": ANYBODY})
SCHEMA = Endpoint("api:schema", "api/schema/", auth=AuthMethod.OPEN, undescribed={"GET": ANYBODY})
DOCS = Endpoint("api:docs", "api/docs/", auth=AuthMethod.OPEN, undescribed={"GET": ANYBODY})
NOTHING_HERE = Endpoint(
    "api:nothing-here",
    # A regular expression: every other path below it.
    r"^api(?:/.*)?$",
    auth=AuthMethod.OPEN,
    undescribed=dict.fromkeys(METHODS, ANYBODY),
)
ENDPOINTS = (ROOT, LIVEZ, READYZ, ADMISSION, METRICS, SCHEMA, DOCS, NOTHING_HERE)
