"""Output formats of ``inspect``: terminal, GitHub annotations, SARIF and JSON lines."""
