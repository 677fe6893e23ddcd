"""Acceptance of each drafter's draft, position by position, on one text of the target.

Nothing is drawn but the text: both rows are there at every position, so the acceptance is exact under three rules.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from playground.bench.entry import Entry
from playground.bench.race import BASELINE
from playground.decoding.reader import Reader
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.models.drafters.choice import DRAFT, drafter_title, with_drafter
from playground.models.forward import Model
from playground.models.loading import LoadedPair
from playground.models.reading import Array
from playground.models.sampling import Sampling
from playground.trace.texts import best_text
from playground.tree import TokenTree

ALL = "all"  # kinds of text together
DRAFTERS = ("draft", "other", "exit4", "exit8", "suffix")
# a rule -> how likely it accepts one draft, of the rows p and q (n, V)
RULES: dict[str, Callable[[Array, Array], Array]] = {
    "speculative_sampling": lambda p, q: np.minimum(p, q).sum(-1),  # drawn from q, kept with min(1, p / q)
    "greedy_draft": lambda p, q: np.take_along_axis(p, q.argmax(-1, keepdims=True), -1)[
        :, 0
    ],  # the likeliest, kept with p
    "sample_and_match": lambda p, q: (p * q).sum(-1),  # drawn from q, kept if the target draws it too
}
SHOWN, TOP_P = ("target", DRAFT), 0.95  # whose alphabet after top-p is counted: Khisti et al. 2025, Figures 5 to 7
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Positions:
    """One text, position by position."""

    kind: str
    prompt: str  # where it begins
    pieces: list[str]  # its tokens, as they are printed
    # of every rule and drafter, the probability at each position that one draft is accepted
    acceptance: dict[str, dict[str, list[float]]]
    # of the target and of the draft model, the number of tokens at each position that top-p `TOP_P` leaves
    alphabet: dict[str, list[int]]


def positions(
    pair: LoadedPair,
    drafters: Sequence[str],
    prompts: Sequence[tuple[str, str]],
    *,
    seed: int,
    sampling: Sampling,
    max_new_tokens: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Positions]:
    """Return a text of the target behind every prompt, and what each drafter would have been worth in it.

    Args:
        drafters: their words, see models/drafters/choice.py.
        prompts: kind and text of each.
        sampling: of the texts, and of every row.
        progress: called after every text: how many of how many are done.

    Raises:
        PlaygroundError: on an unknown drafter, or one that the pair has not.
    """
    if twice := [word for index, word in enumerate(drafters) if word in drafters[:index]]:
        raise PlaygroundError(f"{twice[0]} is given twice among the drafters. Name it once.")
    models = {word: with_drafter(pair, word).draft for word in drafters}
    texts = []
    for done, (kind, prompt) in enumerate(prompts, 1):
        tokens, target, rows = _rows(pair, models, prompt, seed=seed, sampling=sampling, max_new_tokens=max_new_tokens)
        acceptance = {
            rule: {word: [round(each, DIGITS) for each in accept(target, q).tolist()] for word, q in rows.items()}
            for rule, accept in RULES.items()
        }
        pieces = [pair.target.vocabulary.piece(token) for token in tokens]
        alphabet = {name: alphabet_sizes(of) for name, of in {"target": target, **rows}.items() if name in SHOWN}
        texts.append(Positions(kind, prompt, pieces, acceptance, alphabet))
        progress(done, len(prompts))
    return texts


def alphabet_sizes(rows: Array) -> list[int]:
    """Return the number of tokens that top-p `TOP_P` leaves of each row: the effective alphabet of Khisti et al. 2025.

    Args:
        rows: (n, V).
    """
    ordered = -np.sort(-rows.astype(np.float64), axis=-1)
    return (ordered.cumsum(-1) - ordered < TOP_P).sum(-1).tolist()


def _rows(
    pair: LoadedPair, models: Mapping[str, Model | None], prompt: str, **settings: Any
) -> tuple[list[int], Array, dict[str, Array]]:
    """Write a text of the target after a prompt: its tokens, and the target's and each model's rows, (n, V) each."""
    request = Entry(BASELINE, BASELINE).request(pair, prompt, **settings)
    tokens, sampling = [word.token for word in best_text(run(request))], settings["sampling"]
    tree = TokenTree((*request.prompt_ids, *tokens))
    nodes = tree.trunk[len(request.prompt_ids) - 1 : -1]  # each with the position that follows it
    reader = partial(Reader, sampling=sampling, tree=tree, num_prompt_tokens=len(request.prompt_ids))
    rows = {word: reader(model).read(nodes).probs for word, model in models.items() if model}
    return tokens, reader(pair.target).read(nodes).probs, rows


def by_kind(texts: Sequence[Positions], rule: str) -> dict[str, dict[str, float]]:
    """Each drafter's mean acceptance over all positions of the texts of a kind, `ALL` of them first."""
    groups: dict[str, list[Positions]] = {ALL: list(texts)}
    for each in texts:
        groups.setdefault(each.kind, []).append(each)
    return {kind: _means([each.acceptance[rule] for each in group]) for kind, group in groups.items()}


def _means(acceptances: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, float]:
    joined = {word: [rate for each in acceptances for rate in each[word]] for word in acceptances[0]}
    return {word: sum(rates) / len(rates) for word, rates in joined.items()}


def as_data(texts: Sequence[Positions], drafters: Sequence[str]) -> dict[str, Any]:
    """Return the page's and the file's data: drafters with their titles, texts, and means by rule and kind."""
    return {
        "drafters": [{"word": word, "title": drafter_title(word)} for word in drafters],
        "texts": [asdict(each) for each in texts],
        "top_p": TOP_P,
        "means": {rule: by_kind(texts, rule) for rule in RULES},
    }
