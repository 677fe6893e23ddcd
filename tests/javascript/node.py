"""Scripts of assets/ run by Node.js alone, which print JSON."""

import gzip
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
const given = JSON.parse(await new Response(process.stdin).text());
"""
RECORDED = sorted(ASSETS.glob("traces/*.gz"))


def recorded_file(path: Path) -> Any:
    """The file of a recorded run."""
    return json.loads(gzip.decompress(path.read_bytes()))


def ran(script: str, given: Any = None, *, with_document: bool = False) -> Any:
    """Return the value that the script printed last; it has `load("page/form.js")`, `given` and `print(value)`.

    Args:
        script: a module.
        given: JSON data.
        with_document: the elements of `document.js` are there, as `document`.
    """
    node = shutil.which("node")
    assert node, "tests/run installs Node.js where there is none"
    begin = f"await import({json.dumps(DOCUMENT.as_uri())});\n" if with_document else ""
    command = [node, "--input-type=module", "-e", begin + _BEGIN + script, str(ASSETS)]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])
