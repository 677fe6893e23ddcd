"""Scripts of assets/ run by Node.js alone, which print JSON."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from playground.paths import ASSETS

DOCUMENT = Path(__file__).with_name("document.js")
_BEGIN = """
const load = (name) => import(`${process.argv[1]}/${name}`);
const print = (value) => console.log(JSON.stringify(value));
"""


def ran(script: str, *, with_document: bool = False) -> Any:
    """What the script printed last; it has `load("page/form.js")` and `print(value)`.

    Args:
        script: a module.
        with_document: the elements of `document.js` are there, as `document`.
    """
    node = shutil.which("node")
    assert node, "tests/run installs Node.js where there is none"
    begin = f"await import({json.dumps(DOCUMENT.as_uri())});\n" if with_document else ""
    command = [node, "--input-type=module", "-e", begin + _BEGIN + script, str(ASSETS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])
