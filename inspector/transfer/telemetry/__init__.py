"""Spans of OpenTelemetry as exchanges: OTLP's documents cut into records of one span each."""
