"""What the Hub has is sized before it is downloaded, and pinned; what it refuses is one sentence.

The Hub's own client talks to a small Hub on this machine, in a process of its own: it reads its address when imported.
"""

import json
import os
import subprocess
import sys

import pytest

from playground import child as children
from playground.errors import PlaygroundError, StoppedError
from playground.models.sources import hub
from playground.models.sources.memory_estimate import Weights, weights_by_kind, weights_in
from tests.models.sources.small_hub import COMMIT, small_hub
from tests.models.test_loading import llama, save_model

ASK = """
import json, sys
from playground.errors import PlaygroundError
from playground.models.loading import Models
from playground.models.sources import hub
from playground.models.sources.placement import find_placement

hub.LOOK_S = 0.001
answers = []
for question in json.loads(sys.argv[1]):
    said = []
    try:
        if question[0] == "needed":
            answer = Models(*question[1:], placement=find_placement("cpu")).memory().download_bytes
        elif question[0] == "here":
            answer = hub.is_on_this_machine(question[1])
        else:
            answer = Models(*question[1:], placement=find_placement("cpu")).load(said.append).target.facts()
    except PlaygroundError as error:
        answer = str(error)
    answers.append([answer, said])
print(json.dumps(answers))
"""


def ask(address, cache, *questions):
    """Answers, each with what was said on the way, of one process that knows only this Hub."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    env = given | {"HF_ENDPOINT": address, "HF_HUB_CACHE": str(cache), "HF_HUB_DISABLE_XET": "1", "HF_TOKEN": ""}
    requests = [sys.executable, "-c", ASK, json.dumps(questions)]
    done = subprocess.run(requests, capture_output=True, text=True, env=env, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.flaky(reruns=1)  # once, of some thirty whole runs, the Hub's client waited for ever on a busy machine
def test_a_model_is_sized_then_downloaded_then_kept_by_its_commit(tmp_path):
    folder = tmp_path / "models" / "org" / "small"
    save_model(folder, llama())
    (folder / "training.log").write_text("not wanted")
    wanted = sum(each.stat().st_size for each in folder.iterdir() if each.suffix != ".log")
    with small_hub(tmp_path / "models") as address:
        answers = ask(
            address,
            tmp_path / "cache",
            ("needed", "org/small", None),
            ("here", "org/small"),
            ("load", "org/small", None),
            ("here", "org/small"),
            ("load", f"org/small@{COMMIT}", None),
            ("load", "org/other", None),
            ("load", "org/gated", None),
            ("load", "org/small@v9", None),
        )
    (size, _), (before, _), (facts, said), (after, _), (again, said_again), (missing, _), (gated, _), (revision, _) = (
        answers
    )
    assert size == wanted
    assert (before, after) == (False, True)
    assert facts["revision"] == again["revision"] == COMMIT
    assert facts["name"] == "org/small"
    assert said[0].endswith("are free.") and "to download" in said[0]
    assert any(line.startswith("Downloading org/small: ") for line in said)
    assert said_again[0].startswith("Nothing to download")
    assert missing == "The Hub has no model 'org/other', or it is private. Check its spelling."
    assert gated == "org/gated is gated. Accept its licence on its Hub page, then run hf auth login."
    assert revision == "org/small has no such revision. Leave out what follows @, or correct it."


def source(tmp_path):
    return hub.Source("org/small", tmp_path, COMMIT, Weights(1_000, 4_000), (("model.safetensors", 4_000),))


def test_a_disk_too_small_is_refused_before_anything_is_fetched(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Disk", (), {"free": 3_000}))
    monkeypatch.setattr(hub, "download", lambda *_, **__: pytest.fail("it was fetched"))
    with pytest.raises(PlaygroundError, match=r"org/small is 4.0 kB to download, and the disk has 3.0 kB free"):
        hub.fetch(source(tmp_path))


def child(monkeypatch, tmp_path, program):
    """Another process in the place of the one that downloads."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    command = [sys.executable, "-c", f"import sys, time; sys.stdin.read(); {program}"]
    monkeypatch.setattr(children, "command", lambda module: command)


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("""print('["", "No space left on device", 28]')""", "Make room, or choose a smaller model"),
        ("""print('["", "org/small is gated.", 0]')""", "org/small is gated"),
        ("""print("Traceback")""", "broke off"),
    ],
)
def test_what_breaks_a_download_is_one_sentence(tmp_path, monkeypatch, program, sentence):
    child(monkeypatch, tmp_path, program)
    with pytest.raises(PlaygroundError, match=sentence):
        hub.fetch(source(tmp_path))


def test_a_stopped_download_ends_at_once_and_says_what_is_kept(tmp_path, monkeypatch):
    child(monkeypatch, tmp_path, "time.sleep(600)")
    said, began = [], []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *given, **how: began.append(popen(*given, **how)) or began[-1])
    with pytest.raises(StoppedError, match="What came of org/small is kept"):
        hub.fetch(source(tmp_path), said.append, lambda: bool(said))
    assert said[0].startswith("Downloading org/small: 0 bytes of 4.0 kB") and began[0].returncode is not None


def test_weights_are_counted_by_their_kind_and_those_of_the_old_format_as_16_bits(tmp_path):
    assert weights_by_kind({"F32": 2, "BF16": 3, "unheard of": 1}) == Weights(6, 2 * 4 + 3 * 2 + 4)
    (tmp_path / "pytorch_model.bin").write_bytes(b"12345678")
    assert weights_in(tmp_path) == Weights(4, 8)


def test_half_a_download_is_not_on_this_machine(tmp_path):
    (tmp_path / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}})
    )
    (tmp_path / "model-1.safetensors").write_bytes(b"")
    assert not hub._is_whole(tmp_path)
    (tmp_path / "model-2.safetensors").write_bytes(b"")
    assert hub._is_whole(tmp_path)


def test_weights_are_downloaded_once_and_in_the_better_format():
    names = ("config.json", "model.safetensors", "pytorch_model.bin", "onnx/model.onnx", "README.md", "tokenizer.model")
    assert [name for name, _ in hub._wanted(dict.fromkeys(names, 1))] == [
        "model.safetensors",
        "config.json",
        "tokenizer.model",
    ]
