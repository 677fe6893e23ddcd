"""A Hub of a few models, served from folders on this machine, for the Hub's own client to talk to."""

import hashlib
import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder: Path

    def do_HEAD(self):
        self._answer(body=False)

    def do_GET(self):
        self._answer(body=True)

    def log_message(self, *_):
        pass

    def _answer(self, *, body):
        path = self.path.partition("?")[0].removeprefix("/api/models").strip("/")
        name = "/".join(path.split("/")[:2])
        folder = self.folder / name
        if "gated" in name:
            self._send(403, b"{}", body, {"X-Error-Code": "GatedRepo"})
        elif not folder.is_dir():
            self._send(404, b"{}", body, {"X-Error-Code": "RepoNotFound"})
        elif "/revision/" in path and not path.endswith(("/main", COMMIT)):
            self._send(404, b"{}", body, {"X-Error-Code": "RevisionNotFound"})
        elif "/resolve/" in path:
            file = folder / path.rpartition("/")[2]
            data = file.read_bytes()
            tag = hashlib.sha1(data, usedforsecurity=False).hexdigest()
            self._send(200, data, body, {"ETag": f'"{tag}"', "X-Repo-Commit": COMMIT})
        else:
            self._send(200, json.dumps(self._about(name, folder, path)).encode(), body, {})

    def _about(self, name, folder, path):
        files = sorted(each for each in folder.iterdir() if each.is_file())
        if "/tree/" in path:
            return [{"type": "file", "path": each.name, "size": each.stat().st_size, "oid": "0" * 40} for each in files]
        return {
            "id": name,
            "sha": COMMIT,
            "siblings": [{"rfilename": each.name, "size": each.stat().st_size} for each in files],
            "safetensors": {"parameters": {"F32": 1_000}, "total": 1_000},
        }

    def _send(self, status, data, body, headers):
        self.send_response(status)
        for header, value in (headers | {"Content-Length": str(len(data)), "Content-Type": "application/json"}).items():
            self.send_header(header, value)
        self.end_headers()
        if body:
            self.wfile.write(data)


@contextmanager
def small_hub(folder):
    """The address of a Hub whose models are the folders org/name in this one."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"folder": Path(folder)}))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
