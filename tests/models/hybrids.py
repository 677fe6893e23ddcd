"""Hybrids, tiny and at random: many random prompts by six methods against `generate`, and memory over a long text.

`python -m tests.models.hybrids [prompts]` prints a line for each type: how many texts are those of `generate`, calls a
round, tokens read again a round, and bytes of state and of features by length of the text.
"""

import random
import sys
from collections.abc import Iterator

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.metrics.summary import summarise
from playground.models.language_model import LanguageModel
from playground.models.proof import prove
from playground.models.sampling import Sampling
from playground.trace import Trace
from tests.models.registry import OftenWrong
from tests.models.small import generated
from tests.models.test_path_pass import made

METHODS = ("speculative_sampling", "block_verification", "rsd_s", "specinfer", "dynamic_tree", "lookahead")
HYBRIDS = ("qwen3_5_text", "granitemoehybrid", "lfm2", "mamba2")
LENGTH, LONG, VOCAB = 24, 2_000, 40


def prompts(number: int) -> Iterator[tuple[int, ...]]:
    """Random prompts of 2 to 20 tokens, the same in every run."""
    rng = random.Random(73)
    for _ in range(number):
        yield tuple(rng.choices(range(VOCAB), k=rng.randrange(2, 21)))


def traces(model: LanguageModel, prompt: tuple[int, ...], length: int = LENGTH) -> Iterator[Trace]:
    """The greedy run of a prompt by each method; the draft is often wrong."""
    for name in METHODS:
        draft = OftenWrong(model.by(model.forward_pass))
        yield run(Request(make_method(name), model, "", draft, Sampling(0.0), 0, length, prompt))


def bytes_by_length(model: LanguageModel, length: int) -> list[tuple[int, int]]:
    """Bytes of the states that are held at each quarter of a text by speculative sampling, with the tokens by then.

    Half of the text is its prompt, as a run writes no more than 1,024 tokens.
    """
    model.max_positions = length  # a state reads on, whatever the configuration says
    draft, prompt = OftenWrong(model.by(model.forward_pass)), (1, 2) * (length // 4)
    request = Request(make_method("speculative_sampling"), model, "", draft, Sampling(0.0), 0, length // 2, prompt)
    sizes, quarter = list[tuple[int, int]](), length // 4
    for item in decode(request):
        if isinstance(item, Round) and len(item.tree.trunk) >= quarter * (len(sizes) + 1):
            sizes.append((len(item.tree.trunk), model.cache_bytes(item.tree)))
    return sizes


def main(number: int) -> int:
    """Try each hybrid; returns how many texts differ."""
    wrong = 0
    for kind in HYBRIDS:
        model = prove(made(kind))
        equal = total = calls = again = rounds = 0
        for prompt in prompts(number):
            expected = generated(model.model, prompt, LENGTH)
            for trace in traces(model, prompt):
                paths = [each.scored.paths for each in trace.rounds]
                equal += summarise(trace)["token_ids"] == expected
                total, rounds = total + 1, rounds + len(paths)
                calls += sum(each.passes for each in paths)
                again += sum(each.again for each in paths)
        wrong += total - equal
        held = ", ".join(f"{size:,} at {tokens:,}" for tokens, size in bytes_by_length(model, LONG))
        print(
            f"{kind} ({model.forward_pass.name}): {equal} of {total} texts are generate's; {calls / rounds:.2f} calls "
            f"and {again / rounds:.2f} tokens read again a round; bytes held: {held} tokens",
            flush=True,
        )
    return wrong


if __name__ == "__main__":
    sys.exit(main(int((sys.argv[1:] or ["200"])[0])))
