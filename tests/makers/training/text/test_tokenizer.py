import pytest
from tokenizers import Tokenizer, models

from playground.errors import PlaygroundError
from playground.makers.training.text.tokenizer import END_OF_TEXT, learn_tokenizer, read_tokenizer
from tests.makers.training.tiny import prose


@pytest.fixture(scope="module")
def tokenizer():
    return learn_tokenizer([prose()], 300)


@pytest.mark.parametrize("text", ["The fox saw my sister.", " two  spaces\n\n", "naïve 漢字 \x00", END_OF_TEXT])
def test_any_text_comes_back(tokenizer, text):
    ids = tokenizer.encode(text).ids
    assert tokenizer.decode(ids, skip_special_tokens=False) == text


def test_the_end_of_a_text_is_token_0_and_one_token(tokenizer):
    assert tokenizer.encode(f"a{END_OF_TEXT}").ids[-1] == 0 == tokenizer.token_to_id(END_OF_TEXT)


def test_it_learns_the_words_of_its_text(tokenizer):
    assert tokenizer.get_vocab_size() == 300
    assert len(tokenizer.encode("the old man").ids) < len("the old man") / 2


@pytest.mark.parametrize("vocab", [0, 256, 70_000])
def test_a_vocabulary_that_cannot_be_is_refused(vocab):
    with pytest.raises(PlaygroundError, match="out of range"):
        learn_tokenizer([prose()], vocab)


def test_a_file_that_is_no_tokenizer_or_ends_no_text_is_refused(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    Tokenizer(models.BPE()).save(str(tmp_path / "other.json"))
    for name, message in (("tokenizer", "is not a tokenizer"), ("none", "is not a tokenizer"), ("other", "Token 0")):
        with pytest.raises(PlaygroundError, match=message):
            read_tokenizer(tmp_path / f"{name}.json")
