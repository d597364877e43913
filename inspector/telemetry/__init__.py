"""Captures and figures as OpenTelemetry: spans from an outbox, and metrics, by OTLP over HTTP."""
