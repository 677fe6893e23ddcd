"""The exact distribution of the next few tokens after a prompt, and runs whose first tokens are counted against it.

With few tokens kept at each position (top-k) the target can be asked about all of their texts: the distribution is a
product of its own probabilities, warped as the run warps them. It is exact but for the rounding of the model's
arithmetic, which is some 1e-6 and hidden by any number of samples one can wait for.
"""

from dataclasses import dataclass

from playground.decoding.decode import Request
from playground.decoding.method import DecodingMethod
from playground.errors import PlaygroundError
from playground.exactness.experiments import begun_text
from playground.exactness.losslessness import distribution_name, reference_distribution
from playground.models.forward import Model, check_logits
from playground.models.sampling import Sampling
from playground.tree import TokenTree

Text = tuple[int, ...]

MOST_KEPT = 10  # tokens at each position
MOST_TOKENS = 3
MOST_TEXTS = 256  # more would need more samples than one can wait for
SPARE = 4  # tokens a run may emit beyond those compared: a draft that reaches past them is cut nowhere before


@dataclass(frozen=True, slots=True)
class NextTokens:
    """A prompt, two models, and how many of the next tokens are compared.

    Raises:
        PlaygroundError: if there would be too many texts to compare.
    """

    target: Model
    draft: Model | None
    prompt: str
    num_tokens: int
    num_likeliest: int

    def __post_init__(self) -> None:
        if not 2 <= self.num_likeliest <= MOST_KEPT or not 1 <= self.num_tokens <= MOST_TOKENS:
            raise PlaygroundError(f"Choose 1 to {MOST_TOKENS} tokens, and 2 to {MOST_KEPT} kept at each position.")
        if self.num_likeliest**self.num_tokens > MOST_TEXTS:
            texts = f"{self.num_likeliest**self.num_tokens:,}"
            raise PlaygroundError(
                f"{self.num_tokens} tokens of {self.num_likeliest} each are {texts} texts, and {MOST_TEXTS} is the "
                "most. Compare fewer tokens, or keep fewer."
            )

    def sampling(self) -> Sampling:
        """Return the sampling of the runs: the likeliest tokens alone."""
        return Sampling(top_k=self.num_likeliest)

    def request(self, method: DecodingMethod, seed: int) -> Request:
        """One run.

        Raises:
            PlaygroundError: if it cannot be run, or the method's distribution is not that of the target's tokens.
        """
        if reference_distribution(method) != "target sampling":
            reference = distribution_name(reference_distribution(method))
            raise PlaygroundError(
                f"{method.title} is measured against {reference}, whose distribution on a language model cannot be "
                "written out. Choose the tables of probabilities."
            )
        draft, budget = self.draft, self.num_tokens + SPARE
        return Request(method, self.target, self.prompt, draft, self.sampling(), seed, budget)

    def observe(self, method: DecodingMethod, seed: int) -> Text:
        """Return the first tokens of a run; fewer where the text has ended before."""
        return begun_text(self.request(method, seed), self.num_tokens)

    def distribution(self) -> dict[Text, float]:
        """Every text that the target can write, and its probability. One call of the target for each token."""
        prompt = self.target.vocabulary.encode(self.prompt)
        tree, root = TokenTree(prompt), len(prompt) - 1
        probabilities: dict[Text, float] = {}
        growing = [(root, (), 1.0)]
        for _ in range(self.num_tokens):
            nodes = [node for node, _, _ in growing]
            logits = self.target.forward(tree, nodes).logits
            check_logits(self.target, tree, nodes, logits)
            rows = self.sampling().probs(logits).double()
            grown = []
            for (node, text, chance), row in zip(growing, rows, strict=True):
                for token in row.nonzero().flatten().tolist():
                    longer, p = (*text, token), chance * float(row[token])
                    if token in self.target.eos_ids or len(longer) == self.num_tokens:
                        probabilities[longer] = p
                    else:
                        grown.append((tree.add(node, token), longer, p))
            growing = grown
            if not growing:
                break
        return probabilities
