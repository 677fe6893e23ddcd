import numpy as np
import pytest

from playground.errors import PlaygroundError
from playground.makers.training.text import corpus as module
from playground.makers.training.text.corpus import encode, even_windows, open_corpus, prepare_corpus, windows
from playground.makers.training.text.tokenizer import END_OF_TEXT, learn_tokenizer, read_tokenizer
from tests.makers.training.tiny import prose, tiny_corpus, write_text


def test_the_whole_text_is_there_once_trained_on_or_held_out(tmp_path):
    corpus = tiny_corpus(tmp_path)
    tokenizer = read_tokenizer(corpus.folder / "tokenizer.json")
    parts = [tokenizer.decode(part.tolist(), skip_special_tokens=False) for part in (corpus.train, corpus.held_out)]
    assert "".join(parts) == prose()
    assert corpus.bytes_per_token == len(parts[1].encode()) / len(corpus.held_out)


def test_a_named_file_is_held_out_and_works_are_set_apart(tmp_path):
    text = write_text(tmp_path / "text")
    (text / "deeper").mkdir()
    (text / "deeper" / "other.txt").write_text("A second work.")
    (text / "valid.txt").write_text("Held out of training.")
    corpus = prepare_corpus(text, tmp_path / "corpus", vocab=300, held_out=text / "valid.txt")
    tokenizer = read_tokenizer(corpus.folder / "tokenizer.json")
    trained = tokenizer.decode(corpus.train.tolist(), skip_special_tokens=False)
    assert trained == prose() + f"\n\n{END_OF_TEXT}\n\nA second work."
    assert tokenizer.decode(corpus.held_out.tolist()) == "Held out of training."


def test_text_in_pieces_has_the_tokens_of_the_whole(monkeypatch):
    tokenizer = learn_tokenizer([prose()], 300)
    whole = tokenizer.encode(prose()).ids
    monkeypatch.setattr(module, "PIECE_BYTES", 50)
    assert encode(tokenizer, prose()).tolist() == whole


def test_a_pass_reads_every_window_once():
    tokens = np.arange(10 * 8 + 3, dtype=np.uint16)
    per_pass = (len(tokens) - 1) // 8 - 1
    rows = windows(tokens, 0, per_pass, 8, seed=1)
    starts = sorted(rows[:, 0].tolist())
    assert starts == list(range(starts[0], starts[0] + per_pass * 8, 8))
    assert np.array_equal(rows, rows[:, :1].numpy() + np.arange(9))


def test_a_window_depends_on_its_number_alone():
    tokens = np.arange(1000, dtype=np.uint16)
    together = windows(tokens, 0, 30, 8, seed=1)
    assert np.array_equal(together[20:], windows(tokens, 20, 10, 8, seed=1))
    assert not np.array_equal(together, windows(tokens, 0, 30, 8, seed=2))


def test_another_pass_has_another_order():
    tokens = np.arange(1000, dtype=np.uint16)
    per_pass = (len(tokens) - 1) // 8 - 1
    first, second = (windows(tokens, number * per_pass, 20, 8, seed=1) for number in (0, 1))
    assert not np.array_equal(first, second)


def test_even_windows_span_the_text():
    tokens = np.arange(100, dtype=np.uint16)
    assert even_windows(tokens, 3, 10)[:, 0].tolist() == [0, 40, 90]
    assert len(even_windows(tokens, 99, 10)) == 10


def test_a_text_smaller_than_one_batch_is_refused():
    with pytest.raises(PlaygroundError, match=r"has 40 tokens, and one training step takes 8 windows of 8"):
        windows(np.zeros(40, dtype=np.uint16), 0, 8, 8, seed=0)


def test_a_held_out_text_smaller_than_a_window_is_one_window():
    assert even_windows(np.arange(5, dtype=np.uint16), 3, 8).tolist() == [[0, 1, 2, 3, 4]]
    with pytest.raises(PlaygroundError, match="too short"):
        even_windows(np.zeros(1, dtype=np.uint16), 1, 8)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("notes.md", b"no text file", r"holds no \.txt file"),
        ("empty.txt", b" \n", "too little text"),
        ("old.txt", b"caf\xe9", r"old\.txt is not UTF-8"),
    ],
)
def test_a_folder_without_text_is_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PlaygroundError, match=message):
        prepare_corpus(tmp_path, tmp_path / "corpus")
    with pytest.raises(PlaygroundError, match="does not exist"):
        prepare_corpus(tmp_path / "nowhere", tmp_path / "corpus")


@pytest.mark.parametrize("end", [" ", ""], ids=["words", "no space"])
@pytest.mark.parametrize("title", ["", "A title\n"])
def test_a_text_of_one_line_is_as_good_as_any(tmp_path, end, title):
    words = end.join(f"word{number}" for number in range(4000))
    (tmp_path / "long.txt").write_text(title + words)
    about = prepare_corpus(tmp_path, tmp_path / "corpus", vocab=300).about
    assert about["train_bytes"] + about["held_out_bytes"] == len(title + words)
    assert about["held_out_bytes"] == pytest.approx(0.01 * len(words), rel=0.1)


def test_a_missing_or_cut_off_corpus_is_refused(tmp_path):
    with pytest.raises(PlaygroundError, match="Run the step tokenizer first"):
        open_corpus(tmp_path)
    corpus = tiny_corpus(tmp_path)
    file = corpus.folder / "train.tokens"
    file.write_bytes(file.read_bytes()[:-2])
    with pytest.raises(PlaygroundError, match="incomplete"):
        open_corpus(corpus.folder)
