"""A message as the target's chat template writes it: one turn of a user, and the beginning of the answer."""

from collections.abc import Callable

from playground.decoding.decode import check_prompt
from playground.errors import PlaygroundError, StoppedError
from playground.models.forward import Model
from playground.models.vocabulary import TokenizerVocabulary
from playground.words import word


def chat_turn(target: Model, message: str, stop: Callable[[], bool] = lambda: False) -> tuple[str, tuple[int, ...]]:
    """Prompt and tokens of a message: exactly those of transformers' `apply_chat_template`.

    Args:
        target: model whose tokenizer has the template.
        stop: once it says True, the template is given up.

    Raises:
        PlaygroundError: if the message is empty, or the target has no template that takes it.
    """
    check_prompt(message)
    vocabulary = target.vocabulary
    if not isinstance(vocabulary, TokenizerVocabulary) or not vocabulary.has_chat_template:
        raise PlaygroundError(word("refused_no_template", model=target.name))
    try:
        return vocabulary.chat(message, stop)
    except StoppedError:
        raise
    except Exception as error:  # The template is a program in the model's files.
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise PlaygroundError(word("refused_template", model=target.name, why=reason)) from error
