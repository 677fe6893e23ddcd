import os

import pytest
import torch

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.makers.training.checkpoints import checkpoints, load_checkpoint, load_network, only_one, save_checkpoint


def test_the_last_two_are_kept(tmp_path):
    for step in range(4):
        save_checkpoint(tmp_path, {"step": step, "weights": torch.arange(step)})
    assert [path.name for path in checkpoints(tmp_path)] == ["step-0000002.pt", "step-0000003.pt"]
    assert torch.equal(load_checkpoint(tmp_path)["weights"], torch.arange(3))


def test_nothing_is_no_checkpoint(tmp_path):
    assert load_checkpoint(tmp_path) is None
    assert load_checkpoint(tmp_path / "nowhere") is None
    with pytest.raises(PlaygroundError, match="holds no checkpoint"):
        load_network(tmp_path)


def test_a_damaged_checkpoint_gives_way_to_the_one_before(tmp_path):
    for step in range(2):
        newest = save_checkpoint(tmp_path, {"step": step})
    newest.write_bytes(newest.read_bytes()[:100])
    assert load_checkpoint(tmp_path)["step"] == 0
    checkpoints(tmp_path)[0].write_bytes(b"")
    with pytest.raises(PlaygroundError, match=r"No checkpoint in .* can be read"):
        load_checkpoint(tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")  # noqa: PTH110
def test_a_disk_that_fills_while_torch_writes_is_one_sentence_too(tmp_path):
    """torch.save meets a full disk with an error of its own kind."""
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(PlaygroundError, match="cannot be written"):  # noqa: PTH123
        write_file(tmp_path / "file", lambda _: torch.save({"weights": torch.zeros(10**6)}, full))
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_trained_by_one_process_at_a_time(tmp_path):
    with (
        only_one(tmp_path / "run"),
        pytest.raises(PlaygroundError, match=f"Process {os.getpid()} is at work"),
        only_one(tmp_path / "run"),
    ):
        pass
    with only_one(tmp_path / "run"):
        pass


def test_what_a_kill_left_half_written_is_removed(tmp_path):
    (tmp_path / ".step-0000100.pt-x1y2.part").write_bytes(b"half")
    (tmp_path / "step-0000050.pt").write_bytes(b"whole")
    with only_one(tmp_path):
        assert sorted(file.name for file in tmp_path.iterdir()) == ["pid", "step-0000050.pt"]
