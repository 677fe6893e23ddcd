"""The items that a user may want next: the K best by beam search among valid identifiers, or by speculation.

none      beam search, one target call a token
strict    AtSpeed's strict verification: the same list, with fewer target calls
relaxed   AtSpeed's relaxed sampling verification: a list drawn at random, approximately the target's
sampled   beam sampling without replacement, one target call a token: what `relaxed` approximates
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playground.decoding.decode import Request
from playground.decoding.method import DecodingMethod, make_method
from playground.decoding.record import run
from playground.errors import PlaygroundError, did_you_mean
from playground.models.loading import LoadedPair, load_beside
from playground.models.sampling import Sampling
from playground.paths import ASSETS
from playground.recommender.files import load_shop
from playground.recommender.shop import Item, Shop
from playground.recommender.versions import VERSIONS
from playground.trace.events import Trace

MODELS = ASSETS / "shop" / "models"
VERIFICATIONS = ("none", "strict", "relaxed", "sampled")
MOST = 32  # K, and with the drafts N at most 48 more
DRAFTS = 40  # N, as in the paper
DRAFT_LENGTH = 3  # the paper's 4 comes to 3 too: a round's last token is the target's


@dataclass(frozen=True, slots=True)
class Recommended:
    """One item of a list."""

    item: Item
    log_prob: float  # Its identifier has it under the target confined to valid ones.


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A list of items, the best first, and the run that found it."""

    items: tuple[Recommended, ...]
    trace: Trace


def load_recommender(version: str = "atspeed_s", *, models: Path = MODELS) -> LoadedPair:
    """Load the target and one version of the draft.

    Args:
        version: a key of `versions.VERSIONS`.

    Raises:
        PlaygroundError: if there is no such version, or it cannot be loaded.
    """
    if version not in VERSIONS:
        raise PlaygroundError(f"Unknown draft version {version!r}. {did_you_mean(version, VERSIONS)}")
    return load_beside(str(models / "target"), str(models / version))


def method_for(verification: str, top_k: int, drafts: int = DRAFTS, draft_length: int = DRAFT_LENGTH) -> DecodingMethod:
    """Return the decoding method of a verification.

    Args:
        verification: see above.
        top_k: K, items of the list.
        drafts: N, beams that are drafted at every depth.
        draft_length: depths drafted per round.

    Raises:
        PlaygroundError: if they do not go together.
    """
    if verification not in VERIFICATIONS:
        raise PlaygroundError(f"Unknown verification {verification!r}. {did_you_mean(verification, VERIFICATIONS)}")
    if not 1 <= top_k <= MOST:
        raise PlaygroundError(f"A list of {top_k} items is out of range. Choose 1 to {MOST}.")
    if verification == "none":
        return make_method("beam_search", {"width": top_k})
    if verification == "sampled":
        return make_method("beam_sampling", {"width": top_k, "replacement": 0})
    if drafts < top_k:
        if drafts == 1:
            raise PlaygroundError(
                f"1 draft cannot hold {top_k} items, so no step could be accepted. Choose {top_k} drafts or more."
            )
        raise PlaygroundError(
            f"{drafts} drafts cannot hold {top_k} items, so no step could be accepted. Choose {top_k} drafts or more."
        )
    widths = {"width": top_k, "spare": drafts - top_k, "draft_length": draft_length}
    if verification == "strict":
        return make_method("atspeed_strict", widths)
    return make_method("atspeed_relaxed", widths | {"replacement": 0})


def request_for(
    shop: Shop,
    pair: LoadedPair,
    history: Sequence[int],
    method: DecodingMethod,
    *,
    temperature: float = 1.0,
    seed: int = 0,
) -> Request:
    """Make the request of a run that recommends after a history.

    Raises:
        PlaygroundError: if the history is empty or names no item, or the models are of another shop.
    """
    identifiers = shop.identifiers
    prompt = identifiers.prompt(shop.check_history(history))
    if (known := getattr(pair.target.vocabulary, "size", 0)) != len(identifiers.pieces):
        raise PlaygroundError(
            f"The models know {known} tokens and {shop.title} has {len(identifiers.pieces)}. "
            "Give the models that were trained on it."
        )
    if method.options.width > len(shop.items):
        raise PlaygroundError(
            f"{shop.title} has {len(shop.items)} items, so a list of {method.options.width} cannot be filled. Choose "
            "fewer."
        )
    return Request(
        method=method,
        target=pair.target,
        draft_model=pair.draft,
        prompt=identifiers.text(prompt),
        prompt_ids=tuple(prompt),
        max_new_tokens=identifiers.length,
        sampling=Sampling(temperature),
        seed=seed,
        constraint=shop.trie,
    )


def recommend(
    history: Sequence[int],
    *,
    verification: str = "strict",
    top_k: int = 10,
    drafts: int = DRAFTS,
    draft_length: int = DRAFT_LENGTH,
    version: str = "atspeed_s",
    temperature: float = 1.0,
    seed: int = 0,
    shop: Shop | None = None,
    pair: LoadedPair | None = None,
) -> Recommendation:
    """Recommend a list for a history.

    Args:
        history: items in the order they were bought.
        verification, top_k, drafts, draft_length: as for `method_for`.
        version: of the draft.
        temperature, seed: of what is drawn at random; `none` and `strict` draw nothing.
        shop, pair: others than those that come along.

    Raises:
        PlaygroundError: if something does not go together.
    """
    shop = shop or load_shop()
    method = method_for(verification, top_k, drafts, draft_length)
    request = request_for(shop, pair or load_recommender(version), history, method, temperature=temperature, seed=seed)
    trace = run(request)
    return Recommendation(tuple(items_of(shop, trace)), trace)


def items_of(shop: Shop, trace: Trace) -> list[Recommended]:
    """Return the items that a run has reached, the best first, each once even where two draws coincided."""
    listed = [
        Recommended(shop.items[item], log_prob)
        for tokens, log_prob in written_identifiers(shop, trace)
        if (item := shop.identifiers.item(tokens)) is not None
    ]
    return sorted(listed, key=lambda each: -each.log_prob)


def written_identifiers(shop: Shop, trace: Trace) -> list[tuple[tuple[int, ...], float]]:
    """Return each whole sequence of tokens that a run has written, with its log-probability."""
    start = trace.started.frontier[0]
    paths: dict[int, tuple[tuple[int, ...], float]] = {start: ((), 0.0)}
    for event in trace.committed:
        for node, parent, token, log_prob in zip(
            event.nodes, event.parents, event.tokens, event.log_probs, strict=True
        ):
            tokens, before = paths[parent]
            paths[node] = ((*tokens, token), before + log_prob)
    return [path for path in paths.values() if len(path[0]) == shop.identifiers.length]
