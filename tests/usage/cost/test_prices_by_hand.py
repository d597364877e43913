"""Receipts worked out by hand: rates in USD per million tokens as the vendors publish them and
genai-prices 0.2.3 states them, each beside the count that it is paid for.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inspector.core.json import Json
from inspector.usage.cost.receipt_lines import ReceiptLine
from tests.usage.answers import receipt, tokens

NIGHT = datetime(2026, 11, 20, 20, 0, tzinfo=UTC)
BEFORE_THE_CUT = datetime(2025, 6, 9, 12, 0, tzinfo=UTC)

Lines = list[tuple[str, int, str]]


def term(line: ReceiptLine) -> str:
    """``prompt without cached``, ``reasoning outside completion``."""
    without = f" without {' and '.join(line.without)}" if line.without else ""
    outside = f" outside {line.outside}" if line.outside else ""
    return f"{line.kind}{without}{outside}"


BY_HAND: dict[str, tuple[str, str, Json, dict[str, Any], Lines, str]] = {
    "OpenAI, cached": (
        "openai",
        "gpt-4o-2024-08-06",
        tokens((1846, {"cached_tokens": 1536}), 311, 2157),
        {},
        [("prompt without cached", 310, "2.5"), ("cached", 1536, "1.25"), ("completion", 311, "10")],
        "0.005805",  # 775 + 1920 + 3110 millionths
    ),
    "OpenAI, reasoning inside": (
        "openai",
        "gpt-5-2025-08-07",
        tokens(1200, (900, {"reasoning_tokens": 640}), 2100),
        {"service_tier": "default"},
        [("prompt", 1200, "1.25"), ("completion", 900, "10")],
        "0.0105",  # 1500 + 9000
    ),
    "OpenAI, flex": (
        "openai",
        "gpt-5-2025-08-07",
        tokens((1200, {"cached_tokens": 1024}), 900, 2100),
        {"service_tier": "flex"},
        [("prompt without cached", 176, "0.625"), ("cached", 1024, "0.0625"), ("completion", 900, "5")],
        "0.004674",  # 110 + 64 + 4500
    ),
    "OpenAI, priority": (
        "openai",
        "gpt-4.1-2025-04-14",
        tokens((2000, {"cached_tokens": 0}), 150, 2150),
        {"service_tier": "priority"},
        [("prompt", 2000, "3.5"), ("completion", 150, "14")],
        "0.0091",  # 7000 + 2100
    ),
    "OpenAI, audio both ways": (
        "openai",
        "gpt-audio",
        tokens((100, {"audio_tokens": 60}), (220, {"audio_tokens": 180}), 320),
        {},
        [
            ("prompt without prompt_audio", 40, "2.5"),
            ("prompt_audio", 60, "32"),
            ("completion without completion_audio", 40, "10"),
            ("completion_audio", 180, "64"),
        ],
        "0.01394",  # 100 + 1920 + 400 + 11520
    ),
    "OpenAI, today's price": (
        "openai",
        "o3-2025-04-16",
        tokens(75, (1186, {"reasoning_tokens": 1024}), 1261),
        {},
        [("prompt", 75, "2"), ("completion", 1186, "8")],
        "0.009638",  # 150 + 9488
    ),
    "OpenAI, before it was cut": (
        "openai",
        "o3-2025-04-16",
        tokens(75, (1186, {"reasoning_tokens": 1024}), 1261),
        {"at": BEFORE_THE_CUT},
        [("prompt", 75, "10"), ("completion", 1186, "40")],
        "0.04819",  # 750 + 47440
    ),
    "Claude through OpenRouter, cache written and read": (
        "openrouter",
        "anthropic/claude-sonnet-4.5",
        tokens((5000, {"cached_tokens": 1000, "cache_write_tokens": 3500}), 200, 5200),
        {},
        [
            ("prompt without cached and cache_write", 500, "3"),
            ("cached", 1000, "0.3"),
            ("cache_write", 3500, "3.75"),
            ("completion", 200, "15"),
        ],
        "0.017925",  # 1500 + 300 + 13125 + 3000
    ),
    "Claude through OpenRouter, a long prompt": (
        "openrouter",
        "anthropic/claude-sonnet-4.5",
        tokens(250_000, 1000, 251_000),
        {},
        [("prompt", 250_000, "6"), ("completion", 1000, "22.5")],
        "1.5225",  # 1,500,000 + 22,500
    ),
    "Claude, in a batch": (
        "anthropic",
        "claude-sonnet-4-5-20250929",
        tokens(1000, 100, 1100),
        {"service_tier": "batch"},
        [("prompt", 1000, "1.5"), ("completion", 100, "7.5")],
        "0.00225",  # 1500 + 750
    ),
    "DeepSeek, hit and miss by day": (
        "deepseek",
        "deepseek-chat",
        tokens(1100, 50, 1150, prompt_cache_hit_tokens=1088, prompt_cache_miss_tokens=12),
        {},
        [("prompt without cached", 12, "0.27"), ("cached", 1088, "0.07"), ("completion", 50, "1.1")],
        "0.0001344",  # 3.24 + 76.16 + 55
    ),
    "DeepSeek, hit and miss by night": (
        "deepseek",
        "deepseek-chat",
        tokens(1100, 50, 1150, prompt_cache_hit_tokens=1088, prompt_cache_miss_tokens=12),
        {"at": NIGHT},
        [("prompt without cached", 12, "0.135"), ("cached", 1088, "0.035"), ("completion", 50, "0.55")],
        "0.0000672",  # 1.62 + 38.08 + 27.5
    ),
    "Mistral": (
        "mistral",
        "mistral-small-latest",
        tokens(13, 7, 20, service_tier="standard"),
        {},
        [("prompt", 13, "0.15"), ("completion", 7, "0.6")],
        "0.00000615",  # 1.95 + 4.2
    ),
    "Groq, cached": (
        "groq",
        "openai/gpt-oss-120b",
        tokens((1000, {"cached_tokens": 768}), 300, 1300),
        {"service_tier": "on_demand"},
        [("prompt without cached", 232, "0.15"), ("cached", 768, "0.075"), ("completion", 300, "0.6")],
        "0.0002724",  # 34.8 + 57.6 + 180
    ),
    "Groq": (
        "groq",
        "llama-3.3-70b-versatile",
        tokens(45, 120, 165),
        {},
        [("prompt", 45, "0.59"), ("completion", 120, "0.79")],
        "0.00012135",  # 26.55 + 94.8
    ),
    "xAI, reasoning beside the completion": (
        "xai",
        "grok-3-mini",
        tokens((30, {"cached_tokens": 5}), (10, {"reasoning_tokens": 320}), 360),
        {},
        [
            ("prompt without cached", 25, "0.3"),
            ("cached", 5, "0.075"),
            ("completion", 10, "0.5"),
            ("reasoning outside completion", 320, "0.5"),
        ],
        "0.000172875",  # 7.5 + 0.375 + 5 + 160
    ),
    "Gemini in the chat format": (
        "gemini",
        "gemini-2.5-flash",
        tokens(500, 80, 580),
        {},
        [("prompt", 500, "0.3"), ("completion", 80, "2.5")],
        "0.00035",  # 150 + 200
    ),
    "Gemini, an image": (
        "gemini",
        "gemini-2.5-flash-image",
        tokens(12, (1300, {"image_tokens": 1290}), 1312),
        {},
        [
            ("prompt", 12, "0.3"),
            ("completion without completion_image", 10, "2.5"),
            ("completion_image", 1290, "30"),
        ],
        "0.0387286",  # 3.6 + 25 + 38700
    ),
    "Fireworks": (
        "fireworks",
        "accounts/fireworks/models/kimi-k2p5",
        tokens((4000, {"cached_tokens": 3000}), 100, 4100),
        {},
        [("prompt without cached", 1000, "0.6"), ("cached", 3000, "0.1"), ("completion", 100, "3")],
        "0.0012",  # 600 + 300 + 300
    ),
    "Together": (
        "together",
        "meta-llama/Llama-3.3-70B-Instruct-Turbo",
        tokens(37, 5, 42),
        {},
        [("prompt", 37, "0.88"), ("completion", 5, "0.88")],
        "0.00003696",  # 32.56 + 4.4
    ),
    "Azure": (
        "azure",
        "gpt-4.1-mini-2025-04-14",
        tokens((600, {"cached_tokens": 0, "audio_tokens": 0}), 40, 640),
        {},
        [("prompt", 600, "0.4"), ("completion", 40, "1.6")],
        "0.000304",  # 240 + 64
    ),
    "Perplexity, a fee for the request": (
        "perplexity",
        "sonar-pro",
        tokens(20, 200, 220),
        {},
        [("prompt", 20, "3"), ("completion", 200, "15"), ("request", 1, "14")],
        "0.01706",  # 60 + 3000, and 14 dollars for 1000 requests
    ),
    "Perplexity, reasoning at a rate of its own": (
        "perplexity",
        "sonar-deep-research",
        tokens(10, (500, {"reasoning_tokens": 300}), 510),
        {},
        [("prompt", 10, "2"), ("completion without reasoning", 200, "8"), ("reasoning", 300, "3")],
        "0.00252",  # 20 + 1600 + 900
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("vendor", "model", "usage", "more", "lines", "total"), BY_HAND.values(), ids=BY_HAND.keys()
)
def test_a_price_worked_out_by_hand(
    vendor: str, model: str, usage: Json, more: dict[str, Any], lines: Lines, total: str
) -> None:
    found = receipt(vendor, model, usage, **more)
    assert found.reason is None
    assert [(term(line), line.count, str(line.rate_usd)) for line in found.lines] == lines
    assert all(line.amount_usd * line.per == line.count * line.rate_usd for line in found.lines)
    assert found.total_usd == sum(line.amount_usd for line in found.lines) == Decimal(total)
    assert found.table == "genai-prices 0.2.3"


def test_the_moment_is_that_of_utc() -> None:
    """20:00 UTC is the next morning in Tokyo."""
    usage = tokens(1100, 50, 1150, prompt_cache_hit_tokens=1088, prompt_cache_miss_tokens=12)
    in_tokyo = receipt(
        "deepseek", "deepseek-chat", usage, at=NIGHT.astimezone(ZoneInfo("Asia/Tokyo"))
    )
    assert in_tokyo.total_usd == Decimal("0.0000672")
