"""A Chromium of its own with the panel for DevTools in it, as a person has put it there."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, BrowserType, CDPSession, Page

from development import chromium
from inspector.dashboard.connect.client_packages import devtools_extension

# Granted on the extension's page, as "Site access" does: a prompt of the browser belongs to no page.
ALLOW = """([id, pattern]) => new Promise((resolve) =>
    chrome.developerPrivate.addHostPermission(id, pattern, () => resolve()))"""
OWN_ID = """chrome.developerPrivate.getExtensionsInfo().then((all) =>
    all.find(({ name }) => name === "Response Inspector").id)"""
FORGET = "chrome.storage.local.clear().then(() => chrome.scripting.unregisterContentScripts())"


@dataclass(frozen=True, slots=True)
class Extension:
    context: BrowserContext
    id: str

    def allow(self, *patterns: str) -> None:
        """Give the panel what it asks for of these, without another question."""
        page = self.opened("chrome://extensions")
        for pattern in patterns:
            page.evaluate(ALLOW, [self.id, pattern])
        page.close()

    def opened(self, address: str) -> Page:
        page = self.context.new_page()
        page.goto(address)
        return page

    def panel_of(self, page: Page) -> Page:
        """The panel in a tab of its own, as the extension's button opens it."""
        browser = self.context.browser
        assert browser is not None
        devtools = browser.new_browser_cdp_session()
        found = devtools.send("Target.getTargets", {"filter": [{"type": "tab"}]})["targetInfos"]
        [target] = [each["targetId"] for each in found if each["url"] == page.url]
        with self.context.expect_page() as opened:
            devtools.send("Extensions.triggerAction", {"id": self.id, "targetId": target})
        opened.value.wait_for_selector("#site:not(:empty)")
        return opened.value

    def address(self, path: str) -> str:
        return f"chrome-extension://{self.id}/{path}"

    def forget(self) -> None:
        """As new, but for the hosts that it may see."""
        helper = self.opened(self.address("devtools.html"))
        helper.evaluate(FORGET)
        for page in self.context.pages[1:]:
            page.close()


TITLE = "Responses"
SHOW = """(async () => {
    const { ViewManager } = await import("./ui/legacy/legacy.js");
    const views = ViewManager.ViewManager.instance();
    if (!views.hasView("%s")) return false;
    await views.showView("%s");
    return true;
})()"""
TEXT_OF = "const textOf = (place) => document.querySelector(place)?.textContent;"


class DevToolsPanel:
    """The panel where DevTools shows it; Playwright gives no page for what is in there."""

    def __init__(self, browser: CDPSession, target: str) -> None:
        self.browser = browser
        attached = browser.send("Target.attachToTarget", {"targetId": target, "flatten": False})
        self.session = attached["sessionId"]
        self.answers: dict[int, Any] = {}
        self.asked = 0
        browser.on("Target.receivedMessageFromTarget", self.take)

    @classmethod
    def beside(cls, extension: Extension, page: Page) -> DevToolsPanel:
        assert extension.context.browser is not None
        browser = extension.context.browser.new_browser_cdp_session()
        title = f"DevTools - {page.url.removeprefix('http://')}"
        frontend = cls(browser, target_where(browser, "title", title))
        view = extension.address("").removesuffix("/") + TITLE
        while not frontend.evaluate(SHOW % (view, view)):
            pass
        return cls(browser, target_where(browser, "url", extension.address("panel.html")))

    def take(self, event: dict[str, Any]) -> None:
        message = json.loads(event["message"])
        if event["sessionId"] == self.session and "id" in message:
            self.answers[message["id"]] = message["result"]["result"].get("value")

    def evaluate(self, expression: str) -> Any:
        self.asked += 1
        how = {"awaitPromise": True, "returnByValue": True, "userGesture": True}
        params = {"expression": expression, **how}
        message = {"id": self.asked, "method": "Runtime.evaluate", "params": params}
        sent = {"sessionId": self.session, "message": json.dumps(message)}
        self.browser.send("Target.sendMessageToTarget", sent)
        while self.asked not in self.answers:
            # Answers come in while something is waited for.
            self.browser.send("Target.getTargets")
        return self.answers.pop(self.asked)

    def wait(self, condition: str) -> None:
        while not self.evaluate(f"(() => {{ {TEXT_OF} return {condition}; }})()"):
            pass


def target_where(browser: CDPSession, name: str, value: str) -> str:
    every: dict[str, Any] = {"filter": [{}]}
    while True:
        for each in browser.send("Target.getTargets", every)["targetInfos"]:
            if each[name].startswith(value) and each["type"] != "tab":
                return str(each["targetId"])


@contextmanager
def extension(
    browser_type: BrowserType, options: dict[str, Any], folder: Path, *more: str
) -> Iterator[Extension]:
    zipfile.ZipFile(io.BytesIO(devtools_extension().content)).extractall(folder / "panel")
    loaded = [f"--load-extension={folder / 'panel'}", "--headless=new", *more]
    context = browser_type.launch_persistent_context(
        folder / "profile",
        # The shell loads none.
        executable_path=chromium.find(),
        args=[*options["args"], *loaded],
        # Playwright's own switch for it is a browser without extensions.
        headless=False,
        ignore_default_args=["--disable-extensions"],
    )
    try:
        yield Extension(context, id_of(context))
    finally:
        context.close()


def id_of(context: BrowserContext) -> str:
    page = context.new_page()
    page.goto("chrome://extensions")
    found = page.evaluate(OWN_ID)
    page.close()
    return str(found)
