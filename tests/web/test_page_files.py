"""Scripts and the stylesheet of pages are collected whole."""

import json
from pathlib import Path
from typing import Any

from django.core.management import call_command

from inspector.web.page_files import PAGE_FILE, whole_script

MODULES = {
    "page.js": 'import "./keys.js";\nimport { seen as known } from "./parts/seen.js";\nknown();\n',
    "keys.js": 'import * as all from "./parts/seen.js";\nall.seen();\n',
    "parts/seen.js": "const here = [];\nexport function seen() {\n  here.push(1);\n}\n",
}


def test_a_module_stands_once_after_what_it_imports() -> None:
    assert whole_script("page.js", MODULES.__getitem__) == (
        "const module0 = (() => {\nconst here = [];\nfunction seen() {\n  here.push(1);\n}\n"
        "return { seen };\n})();\n"
        "const module1 = (() => {\nconst all = module0;\nall.seen();\nreturn {  };\n})();\n"
        "const module2 = (() => {\nconst { seen: known } = module0;\nknown();\nreturn {  };\n})();\n"
    )


def test_a_page_s_script_and_style_are_collected_as_one_file_each_and_their_parts_stay(
    settings: Any, tmp_path: Path
) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "inspector.web.page_files.PageFileStorage"},
    }
    call_command(
        "collectstatic", interactive=False, verbosity=0, ignore_patterns=["rest_framework"]
    )
    names: dict[str, Any] = json.loads((tmp_path / "staticfiles.json").read_text())["paths"]
    files = [name for name in names if PAGE_FILE.fullmatch(name)]
    assert "dashboard/capture.js" in files and "dashboard/style.css" in files
    for name in files:
        lines = (tmp_path / names[name]).read_text().splitlines()
        assert not [
            line for line in lines if line.startswith(("import ", "export ", "@import "))
        ], name
    part = (tmp_path / names["dashboard/timeline/scale.js"]).read_text()
    assert "\nexport function " in part
