"""Models whose files would do harm: none of them is read; each is refused in a sentence that says why."""

import shutil

import pytest

from playground.errors import PlaygroundError
from playground.models.loading import Models
from playground.models.sources import model_cache
from playground.models.sources.folder import check_config
from playground.models.sources.model_cache import ModelCache
from playground.models.sources.placement import find_placement
from tests.models.sources.hostile import CASES, whole


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return whole(tmp_path_factory.mktemp("whole") / "m")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_model_that_would_do_harm_is_refused_in_a_sentence(base, tmp_path, case, monkeypatch):
    monkeypatch.setattr(model_cache, "_caches", type(model_cache._caches)(ModelCache))
    folder = tmp_path / case.name
    shutil.copytree(base, folder)
    name = case.spoil(folder) or str(folder)
    with pytest.raises(PlaygroundError, match=case.words) as refused:
        Models(name, placement=find_placement("cpu")).load()
    assert str(refused.value).count(". ") <= 1 and "\n" not in str(refused.value)


@pytest.mark.parametrize(("key", "number"), [("rope_theta", 1e9), ("rope_local_base_freq", 1e9), ("vocab_size", 10**8)])
def test_bases_of_angles_and_the_largest_number_of_a_model_pass(tmp_path, key, number):
    file = tmp_path / "config.json"
    file.write_text(f'{{"text_config": {{"{key}": {number}}}}}')
    check_config(file, "m")
