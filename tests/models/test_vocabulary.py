"""A vocabulary decodes as its tokenizer's library does."""

from playground.models.bundled import BUNDLED
from playground.models.loading import Models
from playground.models.vocabulary import TokenizerVocabulary


def test_a_family_that_changes_what_its_library_decodes_is_decoded_by_itself():
    """By what it says of its tokens: no private name of transformers tells one wrapper from another."""
    tokenizer = Models(str(BUNDLED / "target")).load().target.vocabulary.tokenizer
    tokens = tokenizer.encode("Tom had", add_special_tokens=False)

    class Shouting(type(tokenizer)):
        def _decode(self, *arguments, **named):
            return super()._decode(*arguments, **named).upper()

    plain = TokenizerVocabulary(tokenizer).decode(tokens)
    loud = TokenizerVocabulary(Shouting(tokenizer_object=tokenizer.backend_tokenizer)).decode(tokens)
    assert (plain, loud) == ("Tom had", "TOM HAD")
