"""The tests of Watch behind nginx, which shows the page at /app/: `python -m tests.load.behind_nginx`

nginx is set up by the very lines that playground/ui/THREATS.md gives. Flags go to pytest. In the suite a proxy of a few
lines stands in (tests/browser/test_proxy.py), as a machine that tests has no nginx.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.browser.app_fixture import ELSEWHERE, ROOT, started_app

THREATS = ROOT / "playground" / "ui" / "THREATS.md"
AROUND = """
daemon off;
pid {place}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {place}/body;
    proxy_temp_path {place}/proxy;
    fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi;
    scgi_temp_path {place}/scgi;
    server {{
        listen 127.0.0.1:{port};
        {location}
    }}
}}
"""


@contextmanager
def nginx(inner: str) -> Iterator[str]:
    """nginx in front of an address, until the end of the block; gives where it shows the page."""
    found = re.search(r"```nginx\n(.*?)```", THREATS.read_text(), re.DOTALL)
    assert found, f"{THREATS} tells nothing of nginx"
    location = found[1].replace("http://127.0.0.1:7860", inner)
    assert inner in location
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o777)  # the workers of a root's nginx are nobody's, and long requests pass through here
        lines = Path(place) / "nginx.conf"
        lines.write_text(AROUND.format(place=place, port=port, location=location))
        process = subprocess.Popen(["nginx", "-c", str(lines), "-p", place])
        try:
            while process.poll() is None:
                with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.1)
            assert process.poll() is None, "nginx has ended"
            yield f"http://127.0.0.1:{port}/app"
        finally:
            process.terminate()
            process.wait()


def main() -> None:
    """Start all three, and end as pytest ends."""
    if shutil.which("nginx") is None:
        sys.exit("There is no nginx here. Install it: apt-get install nginx")
    files = sorted(str(path) for path in (ROOT / "tests" / "browser").glob("test_watch*.py"))
    with started_app("--root-path", "/app") as (inner, _), nginx(inner) as shown:
        command = [sys.executable, "-m", "pytest", "-c", ".pytest.ini", *files, *sys.argv[1:]]
        ended = subprocess.run(command, cwd=ROOT, env=os.environ | {ELSEWHERE: shown}, check=False)
    sys.exit(ended.returncode)


if __name__ == "__main__":
    main()
