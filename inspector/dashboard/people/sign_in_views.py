"""Signing in, by one-time link or password, accepting an invitation, and signing out."""

from django.contrib.auth import login, logout
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

from inspector.dashboard import idle_timeout
from inspector.dashboard.pages import render_page
from inspector.dashboard.people import known_browsers
from inspector.dashboard.people.forms import NewPersonForm
from inspector.logs.json_log import ASKER, REFUSAL
from inspector.teams import audit, invitations, login_throttle
from inspector.teams.audit import Act
from inspector.teams.guards import open_to_all
from inspector.teams.invitations import InvitationOffer
from inspector.teams.models import User
from inspector.teams.sign_in_links import use_link
from inspector.web.client_address import client_network_of

BACKEND = "inspector.teams.session_backend.SessionBackend"
LINK_GONE = "This link was used before, or it is more than a day old."


@open_to_all
def sign_in_with_password(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return render_sign_in_page(request, AuthenticationForm(request))
    who = login_asker(request, request.POST.get("username", ""))
    if wait := login_throttle.count_attempt(who):
        request.META[REFUSAL] = "too_many_tries"
        return too_many_attempts(request, wait)
    form = AuthenticationForm(request, data=request.POST)
    if not form.is_valid():
        request.META[REFUSAL] = "wrong_password"
        audit.note_failure(form.cleaned_data.get("username", ""), client_network_of(request))
        return render_sign_in_page(request, form, status=403)
    login_throttle.forgive_attempts(who)
    return complete_sign_in(request, form.get_user(), safe_next_path(request), way="by password")


@open_to_all
def sign_in_with_link(request: HttpRequest, token: str) -> HttpResponse:
    # GET only shows a button: mail scanners and browsers prefetch links, which must not use them
    # up.
    if request.method != "POST":
        return render_page(
            request, "dashboard/people/sign_in_link.html", {"next": safe_next_path(request)}
        )
    # One transaction: where the database is too busy for a session, the link still works.
    with transaction.atomic():
        if (user := use_link(token)) is not None:
            return complete_sign_in(request, user, safe_next_path(request), way="by link")
    request.META[REFUSAL] = "spent_link"
    return render_page(
        request, "dashboard/people/sign_in_link.html", {"spent": LINK_GONE}, status=410
    )


@open_to_all
def sign_out(request: HttpRequest) -> HttpResponse:
    log_asker(request, request.user)
    logout(request)
    return redirect("dashboard:sign-in")


def render_sign_in_page(
    request: HttpRequest, form: AuthenticationForm, status: int = 200
) -> HttpResponse:
    context = {"form": form, "next": safe_next_path(request), "wrong": status != 200}
    return render_page(request, "dashboard/people/sign_in.html", context, status)


def complete_sign_in(request: HttpRequest, user: User, path: str, way: str) -> HttpResponse:
    """Sign the user in with a new session, discarding any the browser had.

    ``way`` is what the audit trail says after "signed in", as in "by link".
    """
    audit.note_person(user, Act.SIGNED_IN, way, client_network_of(request))
    # Without flush() Django would continue an existing session of the same user.
    request.session.flush()
    login(request, user, backend=BACKEND)
    idle_timeout.start_idle_timer(request)
    log_asker(request, user)
    response = redirect(path)
    known_browsers.remember_browser(request, response, user.username)
    return response


def log_asker(request: HttpRequest, user: User | AnonymousUser) -> None:
    """Note the user's id for the request log, which contains no names."""
    if user.pk is not None:
        request.META[ASKER] = {"user": user.pk}


def login_asker(request: HttpRequest, name: str) -> login_throttle.LoginAttempt:
    return login_throttle.login_attempt(
        name, request.META.get("REMOTE_ADDR", ""), known_browsers.known_browser(request, name)
    )


def too_many_attempts(request: HttpRequest, wait: int) -> HttpResponse:
    minutes = -(-wait // 60)
    response = render_page(
        request, "dashboard/people/too_many_attempts.html", {"minutes": minutes}, status=429
    )
    response["Retry-After"] = str(wait)
    return response


def safe_next_path(request: HttpRequest) -> str:
    """Path to continue at; never on another site."""
    path = request.POST.get("next") or request.GET.get("next") or "/"
    own = path.startswith("/") and url_has_allowed_host_and_scheme(
        path, allowed_hosts=None, require_https=request.is_secure()
    )
    return path if own else "/"


@open_to_all
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show the invitation; only submitting the form uses it up."""
    offer = invitations.find_offer(token)
    if offer is None:
        return invitation_gone(request)
    if request.method != "POST":
        return render_join_page(request, offer, NewPersonForm())
    if isinstance(request.user, User):
        return join_as_user(request, token, request.user)
    return join_as_new_user(request, token, offer)


def join_as_user(request: HttpRequest, token: str, user: User) -> HttpResponse:
    offer = invitations.accept(token, user, client_network_of(request))
    return redirect("dashboard:archive", offer.team_slug) if offer else invitation_gone(request)


def join_as_new_user(request: HttpRequest, token: str, offer: InvitationOffer) -> HttpResponse:
    form = NewPersonForm(request.POST)
    if not form.is_valid():
        return render_join_page(request, offer, form, status=422)
    fields = form.cleaned_data
    try:
        user = invitations.accept_as_new(
            token, fields["name"], fields["password"], client_network_of(request)
        )
    except IntegrityError:
        # Another request took the name after the form's check.
        form.add_error("name", "This name is taken.")
        return render_join_page(request, offer, form, status=422)
    if user is None:
        return invitation_gone(request)
    return complete_sign_in(request, user, f"/t/{offer.team_slug}/captures/", way="by invitation")


def render_join_page(
    request: HttpRequest, offer: InvitationOffer, form: NewPersonForm, status: int = 200
) -> HttpResponse:
    is_member = isinstance(request.user, User) and invitations.is_member(offer, request.user)
    context = {"offer": offer, "form": form, "is_member": is_member}
    return render_page(request, "dashboard/people/join.html", context, status)


def invitation_gone(request: HttpRequest) -> HttpResponse:
    # One answer for used, revoked, expired and unknown invitations, so that tokens cannot be
    # probed.
    return render_page(request, "dashboard/people/join.html", {"offer": None}, status=410)
