"""A model's address as people paste it, reduced to what it names: a folder, or a Hub id with its revision.

"https://huggingface.co/Qwen/Qwen3-0.6B/tree/main"      Qwen/Qwen3-0.6B
https://hf.co/me/m-GGUF/blob/main/m.Q4.gguf             me/m-GGUF:m.Q4.gguf
hf.co/gpt2/blob/607a30d/config.json                     gpt2@607a30d
~/models/mine/config.json                               ~/models/mine
"""

import re
from pathlib import Path

from playground.models.sources.gguf_file import is_gguf

HOSTS = re.compile(r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/(?:models/)?", re.IGNORECASE)
REVISION = re.compile(r"(?P<id>\w[^/]*(?:/[^/]+)?)/(?:tree|blob|resolve|raw)/(?P<revision>[^/]+)(?:/(?P<file>.*))?")
DEFAULT = "main"
QUOTES = "\"'`\u201c\u201d\u2018\u2019"


def model_name(address: str) -> str:
    """Address for `find_source`: a folder, or a Hub id, perhaps with "@" and a revision."""
    name = address.strip().strip(QUOTES).strip()
    if (host := HOSTS.match(name)) or (REVISION.fullmatch(name) and not Path(name).exists()):
        return _on_hub(name[host.end() if host else 0 :])
    if name.endswith((".json", ".safetensors", ".bin")):
        path = Path(name)
        return str(path.parent) if len(path.parts) > 1 else "."
    return name


def _on_hub(path: str) -> str:
    """Hub id in an address, perhaps with a revision or a GGUF file, as `find_source` takes it."""
    path = re.split(r"[?#]", path)[0].rstrip("/")
    parts = REVISION.fullmatch(path)
    if not parts:
        return path
    name = parts["id"] if parts["revision"] == DEFAULT else f"{parts['id']}@{parts['revision']}"
    return f"{name}:{parts['file']}" if is_gguf(parts["file"] or "") else name
