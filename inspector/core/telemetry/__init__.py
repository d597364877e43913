"""A model's answer, as a record of OpenTelemetry tells it.

The record is one span in the JSON encoding of OTLP, with its resource and scope. No byte of it is
the provider's: a program that made the call told it. Several conventions name the same facts; all
of them end in one shape, that of the GenAI conventions' messages.

Sources: the specification of OTLP; the GenAI semantic conventions, current and older (attributes,
events); OpenInference; OpenLLMetry.
"""
