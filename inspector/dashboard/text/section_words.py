"""Words for what fills a prompt."""

from collections.abc import Mapping

from inspector.core.request.outline import Section

SECTIONS: Mapping[Section, str] = {
    Section.SYSTEM: "system",
    Section.TOOLS: "tools",
    Section.HISTORY: "history",
    Section.RESULTS: "results of tools",
    Section.MEDIA: "images and files",
}
