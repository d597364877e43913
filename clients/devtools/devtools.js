chrome.devtools?.panels.create("Responses", "", "panel.html");
