// Without DevTools the panel is a page of its own, for the tab whose button was clicked.

chrome.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });

chrome.action.onClicked.addListener(({ id }) => {
  chrome.tabs.create({ url: `panel.html?tab=${id}` });
});
