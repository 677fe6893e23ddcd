"""The engine beside llama.cpp: each side's better figure, files of random weights that load, and the table of both."""

import json
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

from playground.makers.commands import main
from playground.makers.engine import against_llama
from playground.makers.engine.against_llama import Times, better
from playground.makers.engine.shapes import Shape, write_random
from playground.models.loading import Models
from tests import tables
from tests.models.sources.test_gguf_file import save


def test_of_each_figure_the_better_turn_counts():
    assert better([Times(3.0, {"1": 4.0, "2": 7.0}), Times(5.0, {"1": 2.0, "2": 9.0})]) == (3.0, {"1": 2.0, "2": 7.0})


def test_a_core_reads_more_than_a_hundred_million_bytes_a_second(monkeypatch):
    """A sum over pages of zeros would read one page of memory again and again, and say ten times as much."""
    monkeypatch.setattr(against_llama, "READ_BYTES", 2**20)
    assert against_llama.bytes_per_s() > 1e8


@pytest.mark.skipif(not find_spec("gguf"), reason="GGUF files are made by the package gguf")
@pytest.mark.parametrize("kind", ["Q4_0", "Q4_1", "Q8_0", "F16"])
def test_a_file_of_random_weights_has_the_shape_that_was_asked_for_and_loads(kind, tmp_path):
    save(tmp_path / "small.gguf")
    write_random(tmp_path / "small.gguf", tmp_path / "random.gguf", Shape(128, 3, 2, 1, 192), kind)
    config = Models(str(tmp_path / "random.gguf")).load().target.config
    assert (config.hidden_size, config.num_hidden_layers, config.intermediate_size) == (128, 3, 192)
    assert (config.num_attention_heads, config.num_key_value_heads) == (2, 1)


def test_the_command_writes_rows_that_the_table_shows(tmp_path, monkeypatch):
    """Both sides in turns, the rival once on its own and once pinned; by hand: 1000 / 4 and 1000 / 5 tokens/s."""
    asked = []
    times = {"ours": [(5.0, 10.0), (4.0, 12.0)], 0: [(9.0, 20.0), (8.0, 16.0)], 1: [(5.0, 18.0), (6.0, 17.0)]}

    def answer(side):
        asked.append(side)
        step, call = times[side].pop(0)
        return Times(step, {"1": call, "2": 2 * call, "5": 3 * call, "9": 4 * call})

    class Process:
        def __init__(self, folder, file, pin):
            self.pin = pin

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    target = SimpleNamespace(forward_pass=SimpleNamespace(name="blocks"))
    monkeypatch.setattr(against_llama, "prepare", lambda *_: None)
    monkeypatch.setattr(
        against_llama.Models, "named", lambda **_: SimpleNamespace(load=lambda: SimpleNamespace(target=target))
    )
    monkeypatch.setattr(against_llama, "_llama", Process)
    monkeypatch.setattr(against_llama, "_line", lambda _: json.dumps({"release": "b1"}))
    monkeypatch.setattr(against_llama, "_our_times", lambda _: answer("ours"))
    monkeypatch.setattr(against_llama, "_their_times", lambda process, _: answer(process.pin))
    monkeypatch.setattr(against_llama, "bytes_per_s", lambda: 2.1e10)
    file = tmp_path / "engine_llama.json"
    elsewhere = {"conditions": {"processor": "of another machine"}, "rows": []}
    file.write_text(json.dumps([elsewhere, {"conditions": {"processor": against_llama.processor()}, "rows": [1]}]))
    options = ["--source", "x.gguf", "--files", str(tmp_path), "--llama", str(tmp_path), "--out", str(file)]
    main(["against-llama", *options, "--only", "135M-Q4_1", "--threads", "1", "--turns", "2"])
    assert asked == ["ours", 0, 1] * 2
    kept, measured = json.loads(file.read_text())
    assert kept == elsewhere and len(measured["rows"]) == 1
    file.write_text(json.dumps([measured]))
    monkeypatch.setattr(tables, "LLAMA", file)
    text = tables.llama_table(tmp_path, "")
    assert "| 135M | Q4_1 | 1 | 21 | 250 | 200 | 1.25 | 2.00 3.00 4.00 | 2.00 3.00 4.00 |" in text
    assert "2 turns" in text and "node-llama-cpp b1" in text
