"""Records the completion calls of an LLM SDK as they go over the wire, and sends them to Response
Inspector.

    from openai import OpenAI
    from response_inspector import capture

    client = capture(OpenAI())
"""

from response_inspector.capturing import capture
from response_inspector.deliveries import counts, flush
from response_inspector.labels import tagged
from response_inspector.ledger import Counts

__all__ = ["Counts", "capture", "counts", "flush", "tagged"]
__version__ = "0.1.0"
