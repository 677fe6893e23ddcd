"""A prompt becomes the turn that the target's chat template makes of it, token for token as transformers has it."""

import pytest
from tokenizers import Tokenizer, models, processors
from transformers import PreTrainedTokenizerFast

import playground
from playground.decoding.chat import chat_turn
from playground.errors import PlaygroundError
from playground.models.vocabulary import TokenizerVocabulary
from tests.models.test_loading import llama, save_model

WORDS = ["<s>", "<|user|>", "<|bot|>", "h", "i", "u", "o", "?"]
TURNS = (
    "{% for turn in messages %}<|user|>{{ turn.content }}{% endfor %}{% if add_generation_prompt %}<|bot|>{% endif %}"
)


class Target:
    """As much of a model as a template needs."""

    name = "some model"

    def __init__(self, template, *, begins=True):
        tokenizer = Tokenizer(models.BPE({word: index for index, word in enumerate(WORDS)}, []))
        if begins:
            tokenizer.post_processor = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", 0)])
        self.tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, bos_token="<s>", additional_special_tokens=WORDS[1:3], chat_template=template
        )
        self.vocabulary = TokenizerVocabulary(self.tokenizer)


@pytest.mark.parametrize("begins", [True, False])
@pytest.mark.parametrize("template", [TURNS, "{{ bos_token }}" + TURNS])
def test_tokens_are_those_of_transformers_with_one_token_for_each_special_one_and_no_second_begin(template, begins):
    target = Target(template, begins=begins)
    text, tokens = chat_turn(target, "hi")
    turn = [{"role": "user", "content": "hi"}]
    expected = target.tokenizer.apply_chat_template(turn, add_generation_prompt=True, return_dict=False)
    assert list(tokens) == expected == [0] * template.startswith("{{ bos") + [1, 3, 4, 2]
    assert text == target.vocabulary.decode(tokens).replace(" ", "")


@pytest.mark.parametrize(
    ("template", "message", "sentence"),
    [
        (None, "hi", "some model has no chat template"),
        ("{{ raise_exception('system first') }}", "hi", "cannot be applied: system first. Turn"),
        ("{% for %}", "hi", "cannot be applied: "),
        (TURNS, "  ", "The prompt is empty"),
        (TURNS, "hi\ud800", "half a character"),
    ],
)
def test_what_no_template_takes_is_refused_in_a_sentence(template, message, sentence):
    with pytest.raises(PlaygroundError, match=sentence):
        chat_turn(Target(template), message)


def test_the_trace_shows_what_the_template_made_of_the_prompt(tmp_path):
    name = save_model(tmp_path / "m", llama(vocab_size=16))
    Target(TURNS).tokenizer.save_pretrained(name)
    started, plain = (
        playground.run("autoregressive", "hi", target=name, max_new_tokens=2, chat=chat).started
        for chat in (True, False)
    )
    assert (started.prompt, started.prompt_ids) == ("<|user|>hi<|bot|>", [1, 3, 4, 2])
    assert [started.pieces[str(token)].strip() for token in started.prompt_ids] == ["<|user|>", "h", "i", "<|bot|>"]
    assert (plain.prompt, plain.prompt_ids) == ("hi", [0, 3, 4])
