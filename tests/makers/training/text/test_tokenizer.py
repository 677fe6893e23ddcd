import pytest

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


def test_no_token_is_added_to_a_prompt(tokenizer):
    assert tokenizer.encode("").ids == []
    assert END_OF_TEXT not in tokenizer.encode("The fox").tokens


def test_the_end_of_a_text_is_token_0_and_one_token(tokenizer):
    assert tokenizer.encode(f"a{END_OF_TEXT}").ids[-1] == 0 == tokenizer.token_to_id(END_OF_TEXT)


def test_it_learns_the_words_of_its_text(tokenizer):
    assert tokenizer.get_vocab_size() == 300
    assert len(tokenizer.encode("the old man").ids) < len("the old man") / 2


@pytest.mark.parametrize("vocab", [0, 256, 70_000])
def test_a_vocabulary_that_cannot_be_is_refused(vocab):
    with pytest.raises(PlaygroundError, match="out of range"):
        learn_tokenizer([prose()], vocab)


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path):
    broken = tmp_path / "tokenizer.json"
    broken.write_text("{}")
    for file in (broken, tmp_path / "none.json"):
        with pytest.raises(PlaygroundError, match=r"is not a tokenizer"):
            read_tokenizer(file)


def test_a_tokenizer_without_our_end_of_text_is_refused(tmp_path):
    from tokenizers import Tokenizer, models

    Tokenizer(models.BPE()).save(str(tmp_path / "other.json"))
    with pytest.raises(PlaygroundError, match="Token 0"):
        read_tokenizer(tmp_path / "other.json")
