"""A page's files: named by their version, kept for good, packed, and nothing beside them."""

import gzip

import httpx
import pytest
from starlette.applications import Starlette

from playground.ui.served.files import LASTING, PASSING, address_of, file_routes, version_of
from tests.ui.served.apart import apart

SCRIPT = "export const word = 'draft';\n" * 50


@pytest.fixture
def folders(tmp_path):
    for name, content in {"shared/words.js": SCRIPT, "player/stage/tree.css": "b {}", "secret.txt": "x"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "player" / "run.json.gz").write_bytes(gzip.compress(b"{}"))
    return tmp_path / "shared", tmp_path / "player"


def asked(folders, *paths, **headers):
    async def ask():
        transport = httpx.ASGITransport(Starlette(routes=file_routes(folders)))
        async with httpx.AsyncClient(transport=transport, base_url="http://here", headers=headers) as client:
            return [await client.get(path) for path in paths]

    return apart(ask())


def test_a_file_is_found_where_its_address_says_and_is_kept_for_good(folders):
    [answer] = asked(folders, "/" + address_of(folders[0] / "words.js", folders))
    assert answer.text == SCRIPT and answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["content-encoding"] == "gzip" and int(answer.headers["content-length"]) < len(SCRIPT) / 5
    assert answer.headers["cache-control"] == LASTING


def test_who_cannot_unpack_gets_it_as_it_is_and_what_is_packed_already_is_not_packed_again(folders):
    [plain] = asked(folders, "/" + address_of(folders[0] / "words.js", folders), **{"accept-encoding": "identity"})
    assert plain.text == SCRIPT and "content-encoding" not in plain.headers
    [run] = asked(folders, "/" + address_of(folders[1] / "run.json.gz", folders))
    assert gzip.decompress(run.content) == b"{}" and "content-encoding" not in run.headers


def test_any_change_gives_another_version_and_a_page_of_an_older_one_may_keep_nothing(folders):
    before = version_of(folders)
    version_of.cache_clear()
    assert version_of(folders) == before
    (folders[1] / "stage" / "tree.css").write_text("i {}", encoding="utf-8")
    version_of.cache_clear()
    assert version_of(folders) != before
    [answer] = asked(folders, f"/page/{before}/player/stage/tree.css")
    assert answer.text == "i {}" and answer.headers["cache-control"] == PASSING


@pytest.mark.parametrize("name", ["secret.txt", "%2e%2e/secret.txt", "shared/../secret.txt", "shared", "shared/"])
def test_there_is_nothing_else(folders, name):
    [answer] = asked(folders, f"/page/{version_of(folders)}/{name}")
    assert answer.status_code == 404
