"""The static twin: a folder that holds all it needs, and never takes the place of something else."""

import json
import re
import shutil

import pytest

from playground.errors import PlaygroundError
from playground.paths import ASSETS
from playground.trace import load, validate
from playground.trace.storage import from_json
from playground.views import site as views_site
from playground.views.site import build_site


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "site"
    build_site(folder)
    return folder


@pytest.fixture(scope="module")
def built_again(site, tmp_path_factory):
    """A site of one run in the place of an earlier one, with an address and two races."""
    folder = tmp_path_factory.mktemp("again") / "site"
    shutil.copytree(site, folder)
    (folder / "old.html").write_text("")
    races = {"A": {"place": 1, "values": [{"race": "x"}, {}]}, "B": {"place": 0, "values": [{}]}}
    one = [next(views_site.recorded_runs())]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views_site, "recorded_runs", lambda: one)
        build_site(folder, races=races, address="https://somebody-tree.static.hf.space/")
    return folder


def test_every_recorded_run_is_there_and_is_the_same_run(site):
    index = json.loads((ASSETS / "traces" / "index.json").read_text())
    listed = json.loads((site / "runs.json").read_text())
    assert [each["title"] for each in listed] == [entry["title"] for entry in index]
    for each, entry in zip(listed, index, strict=True):
        trace = from_json((site / "traces" / f"{each['id']}.json").read_text())
        validate(trace)
        assert trace == load(ASSETS / "traces" / entry["file"])
        assert json.loads((site / "figures" / f"{each['id']}.json").read_text())


def test_recorded_races_are_there_with_every_prompt(built_again):
    listed = json.loads((built_again / "races.json").read_text())
    titles = [{"title": "A", "prompts": 2, "place": 1}, {"title": "B", "prompts": 1, "place": 0}]
    assert listed == titles and len(list((built_again / "races").iterdir())) == 3
    assert json.loads((built_again / "races" / "1-0.json").read_text()) == {"race": "x"}


def test_it_asks_for_nothing_that_is_not_in_the_folder_and_fits_a_static_space(site):
    assert sum(file.stat().st_size for file in site.rglob("*") if file.is_file()) < 30e6
    assert (site / "README.md").read_text().startswith("---\ntitle:")
    page = (site / "index.html").read_text()
    named = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(named) > 5 and all((site / name).is_file() for name in named)
    for script in site.rglob("*.js"):
        for name in re.findall(r'^(?:import|export)[^"\n]*"(\.[^"]+)"', script.read_text(), re.MULTILINE):
            assert (script.parent / name).is_file(), (script, name)


def test_an_earlier_site_is_replaced_and_anything_else_is_left_alone(built_again, tmp_path):
    assert not (built_again / "old.html").exists() and (built_again / "index.html").is_file()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("all of it")
    for taken in (mine, mine / "thesis.txt"):
        with pytest.raises(PlaygroundError, match="holds something else"):
            build_site(taken)
    assert (mine / "thesis.txt").read_text() == "all of it"


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PlaygroundError, match="cannot be written"):
        build_site(tmp_path / "file" / "site")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_shared_link_shows_the_tree_where_the_sites_address_is_known(built_again, site):
    for name in ("index.html", "learn.html"):
        page = (built_again / name).read_text(encoding="utf-8")
        assert 'property="og:image" content="https://somebody-tree.static.hf.space/card.png"' in page
        assert (built_again / "card.png").is_file()
        plain = (site / name).read_text(encoding="utf-8")
        assert "og:title" in plain and "og:image" not in plain and "summary_large_image" not in plain
