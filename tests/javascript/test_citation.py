"""Citations, by Node.js alone: each method's paper as a BibTeX entry."""

import re

from playground.decoding.method import methods
from tests.javascript.node import ran

ENTRIES = """
const { entryOf, projectEntry } = await load("player/take/citation.js");
const { PAPERS } = await load("player/take/papers.js");
const papers = [...new Set(Object.values(PAPERS))];
print({ papers, entries: papers.map(entryOf), project: projectEntry("1.2.3"), unknown: projectEntry(undefined) });
"""


def test_every_paper_is_an_entry_with_its_title_address_and_a_key_of_its_own():
    found = ran(ENTRIES, with_document=True)
    assert set(found["papers"]) == {
        each.paper for each in methods().values() if not each.paper.startswith("Definition")
    }
    keys = [re.match(r"@misc\{([a-z0-9]+),", entry)[1] for entry in found["entries"]]
    assert len(set(keys)) == len(keys) >= 20
    for paper, entry in zip(found["papers"], found["entries"], strict=True):
        *_, title, address = paper.split(", ")
        assert f"title = {{{{{title}}}}}" in entry and entry.count("{") == entry.count("}")
        is_arxiv = address.startswith("arXiv ")
        place = f"eprint = {{{address.removeprefix('arXiv ')}}}" if is_arxiv else f"url = {{https://{address}}}"
        assert place in entry and ("year = {" in entry) == (
            " et al. " in paper or re.match(r"\w+ \d{4}, ", paper) is not None
        )
    assert "author = {Sun and others}" in next(each for each in found["entries"] if "2310.15141" in each)


def test_the_project_is_cited_with_the_version_that_made_the_run():
    found = ran(ENTRIES, with_document=True)
    assert found["project"].startswith("@software{") and "version = {1.2.3}" in found["project"]
    assert "version" not in found["unknown"]
