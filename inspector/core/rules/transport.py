"""Rules about what our proxy knows of the connections that it carried the call over."""

from collections.abc import Iterator

from inspector.core.analysis import Verdict
from inspector.core.answer.transport_words import fault_words
from inspector.core.findings import Severity
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import Remark, at_last_byte, rule
from inspector.core.wire.exchange import TransportFault, TransportOutcome


def _fault(context: RuleContext) -> Iterator[Remark]:
    """The verdict's sentence, where the fault decided it; else the fault alone."""
    if context.transport_fault is None:
        return
    is_reason = context.verdict is Verdict.UPSTREAM_ERROR
    words = f"{fault_words(context.transport_fault, context.status_code)}."
    yield context.verdict_reason if is_reason else words, at_last_byte(context)


@rule("transport.recorder-stopped", Severity.WARNING, when=TransportOutcome.RECORDER_STOPPED)
def recorder_stopped(context: RuleContext) -> Iterator[Remark]:
    """The proxy or its recorder stopped before the response ended.
    The response may have gone on; only this archive has a part.
    """
    if context.verdict is not Verdict.COMPLETE:
        message = f"The recording stopped after {context.body_bytes:,} bytes."
        yield message, at_last_byte(context)


@rule("transport.address-refused", Severity.ERROR, when=TransportFault.ADDRESS_REFUSED)
def address_refused(context: RuleContext) -> Iterator[Remark]:
    """The upstream's name led to an address that calls may not go to, such as a private one.
    No call was made; the caller got an error of the proxy.
    """
    return _fault(context)


@rule("transport.unreachable", Severity.ERROR, when=TransportFault.UNREACHABLE)
def unreachable(context: RuleContext) -> Iterator[Remark]:
    """The upstream could not be reached: no such name, no route, or refused.
    No call was made; the caller got an error of the proxy.
    """
    return _fault(context)


@rule("transport.tls", Severity.ERROR, when=TransportFault.TLS)
def tls(context: RuleContext) -> Iterator[Remark]:
    """The upstream's certificate does not hold, or there is no common version of TLS.
    No call was made; the caller got an error of the proxy.
    """
    return _fault(context)


@rule("transport.connect-timeout", Severity.ERROR, when=TransportFault.CONNECT_TIMEOUT)
def connect_timeout(context: RuleContext) -> Iterator[Remark]:
    """No connection to the upstream came about in time.
    No call was made; the caller got an error of the proxy.
    """
    return _fault(context)


@rule("transport.response-timeout", Severity.ERROR, when=TransportFault.RESPONSE_TIMEOUT)
def response_timeout(context: RuleContext) -> Iterator[Remark]:
    """The upstream was connected and sent nothing for too long.
    The caller got an error of the proxy, or half a response and the end of the connection.
    """
    return _fault(context)


@rule("transport.broken-response", Severity.ERROR, when=TransportFault.BROKEN_RESPONSE)
def broken_response(context: RuleContext) -> Iterator[Remark]:
    """The response is not HTTP, or the upstream broke it off before its end.
    The caller got an error of the proxy, or half a response and the end of the connection.
    """
    return _fault(context)


@rule("transport.request-aborted", Severity.WARNING, when=TransportFault.REQUEST_ABORTED)
def request_aborted(context: RuleContext) -> Iterator[Remark]:
    """The caller's request ended before the length that it had announced.
    The upstream got half a request, or none.
    """
    return _fault(context)
