"""A grammar masks each branch by its own path, and what a run writes has exactly the masked target's distribution."""

import itertools
import json
import re

import jsonschema
import numpy as np
import pytest

import playground
from playground.decoding.constrained.grammar import Grammar, one_of
from playground.decoding.decode import Request
from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.models.table_model import TableModel
from playground.trace.invariants import broken_invariants
from playground.tree import TokenTree
from tests.decoding.runs import texts_of_runs, trace_of

LETTERS = ("a", "b", "ab", "c", "bc", "", "")  # several spellings of one text; the last two end a text or a turn
FINITE = "(ab|a)(b|c)?"
JSON = ('{"', "a", '":', "1", "20", "-3", "true", "false", "}", "")
SCHEMA = {
    "type": "object",
    "properties": {"a": {"anyOf": [{"type": "integer", "maximum": 1000}, {"type": "boolean"}]}},
    "required": ["a"],
    "additionalProperties": False,
}


class Pieces:
    """A vocabulary of these texts, of which the empty ones are end tokens."""

    def __init__(self, pieces):
        self.pieces = pieces

    def encode(self, text):
        return [0 for _ in text]

    def decode(self, tokens):
        return "".join(self.pieces[token] for token in tokens)

    def piece(self, token):
        return self.pieces[token]

    def spellings(self):
        return [piece.encode() or None for piece in self.pieces]


def model(pieces, seed, order=1):
    table = TableModel.random(len(pieces), order=order, seed=seed)
    table.vocabulary = Pieces(pieces)
    table.eos_ids = frozenset(token for token, piece in enumerate(pieces) if not piece)
    return table


TARGET, DRAFT = model(LETTERS, 0, order=2), model(LETTERS, 1)
LANGUAGE = [
    text
    for length in range(5)
    for text in map("".join, itertools.product("abc", repeat=length))
    if re.fullmatch(FINITE, text)
]
ENDS = (5, 6)


def may_follow(written):
    """Tokens that may follow these, by the list of all texts of the language."""
    text = "".join(LETTERS[token] for token in written)
    tokens = [token for token in range(5) if any(each.startswith(text + LETTERS[token]) for each in LANGUAGE)]
    return [*tokens, *ENDS] if text in LANGUAGE else tokens


def every_text(prompt, model, written=()):
    """Yield every token sequence of the language with its probability under the masked model."""
    if written and written[-1] in ENDS:
        yield written, 1.0
        return
    row, tokens = model.row([*prompt, *written]), may_follow(written)
    for token in tokens:
        for text, chance in every_text(prompt, model, (*written, token)):
            yield text, chance * row[token] / row[tokens].sum()


def test_every_branch_is_masked_by_its_own_path():
    """All paths of a language's tree and one step off it; also once branches were cut and the text has grown."""
    tree = TokenTree([0, 1])
    masks = Grammar(FINITE, TARGET).on(tree)
    paths, todo = {(): 1}, [()]
    while todo:
        written = todo.pop()
        allowed = may_follow(written)
        masked = masks.allowed_after([paths[written]])
        assert {0: sorted(masked[0].tolist())} == {0: allowed}
        for token in range(len(LETTERS)):
            paths[*written, token] = node = tree.add(paths[written], token)
            if token not in allowed or token in ENDS:
                assert masks.allowed_after([node]) == {}
            else:
                todo.append((*written, token))
    tree.retain([paths[0, 1, 3]])
    assert masks.allowed_after([paths[0, 1, 3]])[0].tolist() == may_follow((0, 1, 3)) == [*ENDS]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("speculative_sampling", {"draft_length": 2}),
        ("block_verification", {"draft_length": 3}),
        ("sample_and_match", {"draft_length": 2}),
        ("greedy_draft", {"draft_length": 3}),
        ("specinfer", {"draft_length": 1, "first_draws": 2}),
        ("dynamic_tree", {"depth": 3, "total_tokens": 5}),
    ],
)
def test_what_a_run_writes_has_exactly_the_masked_targets_distribution(name, options):
    """Whole runs, every way that their numbers can fall; a text may end by either end token."""
    method, grammar = make_method(name, options), Grammar(FINITE, TARGET)
    distribution = texts_of_runs(
        Request(method, TARGET, "", DRAFT, max_new_tokens=8, prompt_ids=(0, 1), constraint=grammar)
    )
    expected = dict(every_text([0, 1], TARGET))
    assert set(distribution) == set(expected)
    assert max(abs(distribution[text] - expected[text]) for text in expected) < 1e-12


def test_250_runs_write_what_their_grammar_allows():
    """All methods in turn, half by a schema; every text that ended matches as a whole, and most end."""
    pairs = {pieces: (model(pieces, 2), model(pieces, 3)) for pieces in (LETTERS, JSON)}
    grammars = {
        LETTERS: Grammar("(ab|c){2,6}b?", pairs[LETTERS][0]),
        JSON: Grammar(json.dumps(SCHEMA), pairs[JSON][0]),
    }
    names, num_ended = sorted(methods()), 0
    for case in range(250):
        pieces = (LETTERS, JSON)[case % 2]
        target, draft = pairs[pieces]
        others = {"other_drafts": (draft,) * 3, "constraint": grammars[pieces]}
        method = make_method(names[case % len(names)])
        request = Request(method, target, "", draft, seed=case, max_new_tokens=16, prompt_ids=(0, 1), **others)
        trace = trace_of(request)
        assert broken_invariants(trace) == [] and trace.started.grammar == grammars[pieces].text
        if trace.finished.finish_reason != "eos":
            continue
        num_ended += 1
        if pieces is LETTERS:
            assert re.fullmatch("(ab|c){2,6}b?", trace.finished.text), trace.finished.text
        else:
            jsonschema.validate(json.loads(trace.finished.text), SCHEMA)
    assert num_ended > 125, num_ended


def test_a_text_that_no_token_goes_on_with_is_refused_and_not_ended():
    """An object's name is closed by a quotation mark alone, and no token has the colon that must follow."""
    pieces = ('{"', "a", '"', "1", "}", "")
    target = model(pieces, 4)
    request = Request(
        make_method("autoregressive"), target, "", prompt_ids=(0,), constraint=Grammar(json.dumps(SCHEMA), target)
    )
    with pytest.raises(PlaygroundError, match="probability 0 to all that is allowed"):
        trace_of(request)


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ('{"a":1}', True),
        ('{ "a" : true }', True),
        ('{\n  "a": 1\n}', True),
        (f'{{\n\n{" " * 20}"a":1}}', True),
        (f'{{\n{" " * 21}"a":1}}', False),
        ('{  "a":1}', False),
        ('{\n\n\n"a":1}', False),
        ('{"a":1} ', False),
    ],
)
def test_white_space_between_two_parts_of_json_is_bounded(text, matches):
    target = model((*map(chr, range(9, 126)), ""), 0)
    tree = TokenTree([0])
    node, masks = 0, Grammar(json.dumps(SCHEMA), target).on(tree)
    for letter in text:
        node = tree.add(node, ord(letter) - 9)
    assert (max(target.eos_ids) in masks.allowed_after([node]).get(0, ())) is matches


def test_the_text_of_a_run_that_has_to_match_is_written_without_its_end_token():
    target = model((*JSON[:-1], "<|end|>"), 5)
    target.eos_ids = frozenset([len(JSON) - 1])
    for name in ("autoregressive", "beam_search"):
        constraint = Grammar('{"const": true}', target)
        trace = trace_of(Request(make_method(name), target, "", prompt_ids=(0,), constraint=constraint))
        assert trace.finished.text == "true" and trace.finished.finish_reason == "eos"
        assert trace.finished.num_tokens == 2 and broken_invariants(trace) == []


@pytest.mark.parametrize("text", ["(a", "[z-a]", '{"type": "booleanx"}', "{not json"])
def test_a_grammar_that_cannot_be_read_is_refused_in_a_sentence(text):
    with pytest.raises(PlaygroundError, match=r"The grammar cannot be read: .* Correct it\."):
        Grammar(text, TARGET)


def test_a_model_without_an_end_is_refused():
    with pytest.raises(PlaygroundError, match="has no end token"):
        Grammar("a", TableModel(np.full((3, 3), 1 / 3)))


TEXTS = ("happy.", " sad.", "red (a-b) [c] {d} #1 ^$ \\ &~", ", said Tom,", "naïve 🐈.", "happy.", " \n")


@pytest.mark.parametrize("method", ["speculative_sampling", "beam_search"])
def test_a_run_writes_one_of_the_allowed_texts_with_a_space_where_a_word_would_stick(method):
    texts = [playground.run(method, "The cat was", allow=TEXTS, temperature=3, seed=seed) for seed in range(5)]
    written = {trace.finished.text for trace in texts}
    spaced = {text if text[0] in " ," else f" {text}" for text in TEXTS[:-1]}
    assert written <= spaced and (len(written) > 1 or method == "beam_search")
    assert all(re.fullmatch(trace.started.grammar, text) for trace in texts for text in written)


def test_the_space_is_left_out_behind_a_space_and_a_list_of_nothing_is_refused():
    assert one_of(["yes", "yes", "no\n"], "Is it? ") == "(yes|no)"
    with pytest.raises(PlaygroundError, match="Nothing is allowed"):
        one_of(["", " "], "The cat was")
