"""Rules and samplers of other people: sound rules, mistakes in drafting, and texts that depend on each other.

The mistakes in drafting are those of broken_methods.py, written again, so that its distributions are not held against
themselves.
"""

import numpy as np

from playground.exactness.plain_rules import chain_rule, drawn, left_over, speculative, without
from playground.exactness.trial import DRAFT, NUM_TOKENS, PROMPT, TARGET

# Sound, for a chain

greedy = chain_rule(lambda p, q, x, rng: rng.random() < p[x], lambda p, q, i, x: without(p[i], x))


def matching(p, q, drafts, rng):
    out = []
    for row in p:
        out.append(drawn(row, rng))
        if len(out) > len(drafts) or out[-1] != drafts[len(out) - 1]:
            break
    return out


def block(p, q, drafts, rng):
    n, ratio, kept, weights = len(drafts), 1.0, 0, [1.0]
    for i, x in enumerate(drafts):
        ratio = min(1.0, ratio * p[i, x] / q[i, x])
        weights.append(ratio)
    for i in range(1, n + 1):
        if i == n:
            chance = weights[i]
        else:
            rest = np.maximum(weights[i] * p[i] - q[i], 0).sum()
            chance = rest / (rest + 1 - weights[i]) if rest + 1 - weights[i] > 0 else 1.0
        if rng.random() < chance:
            kept = i
    if kept == n:
        return [*drafts, drawn(p[n], rng)]
    return [*drafts[:kept], drawn(left_over(weights[kept] * p[kept], q[kept]), rng)]


correction_from_target = chain_rule(correction=lambda p, q, i, x: p[i])
# A mistake that has no name yet: no chance in the test, and a correction from p
kept_where_p_is_larger = chain_rule(lambda p, q, x, rng: p[x] >= q[x], lambda p, q, i, x: p[i])


# Mistakes in drafting: whole samplers, which write texts


def texts(sampler, samples, seed=0, draft_length=2):
    """Three tokens each, from a sampler that is given the last token and gives back a round's."""
    rng = np.random.default_rng(seed)
    results = []
    for _ in range(samples):
        tokens = [PROMPT[-1]]
        noise = rng.random(4 * draft_length + 4)
        while len(tokens) <= NUM_TOKENS:
            tokens += sampler(tokens[-1], draft_length, rng, iter(noise))
        results.append(tuple(int(token) for token in tokens[1 : NUM_TOKENS + 1]))
    return results


def hot(row):
    warped = np.sqrt(row)  # temperature 2
    return warped / warped.sum()


def likeliest_two(row):
    kept = np.where(row >= np.sort(row)[-2], row, 0)
    return kept / kept.sum()


def drafted_from(law, rule=speculative):
    def sampler(last, draft_length, rng, noise):
        context = [last]
        for _ in range(draft_length):
            context.append(drawn(law(DRAFT.table[context[-1]]), rng))
        return rule(TARGET.table[context], DRAFT.table[context], context[1:], rng)

    return sampler


def after_the_draft(p, q, drafts, rng):
    return speculative(np.vstack([p[:-1], DRAFT.table[drafts[-1:]]]), q, drafts, rng)


bonus_from_draft = drafted_from(lambda row: row, after_the_draft)
draft_before_temperature = drafted_from(hot)
draft_before_top_k = drafted_from(likeliest_two)


def unlikely_dropped(last, draft_length, rng, noise):
    context = [last]
    for _ in range(draft_length):
        x = drawn(DRAFT.table[context[-1]], rng)
        if DRAFT.table[context[-1], x] < 0.3:
            break
        context.append(x)
    return speculative(TARGET.table[context], DRAFT.table[context], context[1:], rng)


class Played:
    """Numbers that were drawn before."""

    def __init__(self, numbers):
        self.numbers = numbers

    def random(self):
        return next(self.numbers)

    def choice(self, size, p):
        return int(np.searchsorted(np.cumsum(p) / p.sum(), next(self.numbers), side="right"))


def noise_reused(last, draft_length, rng, noise):
    """Both streams begin anew in every round; the rule's has a coin for every draft, needed or not."""
    numbers = list(noise)
    return judged_by_numbers(last, draft_length, Played(iter(numbers[:draft_length])), numbers[draft_length:])


def seeded_in_the_loop(last, draft_length, rng, noise):
    """The rule's stream begins anew in every round, the drafts' goes on."""
    return judged_by_numbers(last, draft_length, rng, list(noise))


def judged_by_numbers(last, draft_length, rng, judging):
    context = [last]
    for _ in range(draft_length):
        context.append(drawn(DRAFT.table[context[-1]], rng))
    p, q, drafts = TARGET.table[context], DRAFT.table[context], context[1:]
    uniforms, then = judging[:draft_length], Played(iter(judging[draft_length:]))
    for i, x in enumerate(drafts):
        if uniforms[i] >= p[i, x] / q[i, x]:
            return [*drafts[:i], drawn(left_over(p[i], q[i]), then)]
    return [*drafts, drawn(p[-1], then)]


# Texts that depend on each other, each of which has the target's law


def own(samples, seed=0):
    """Independent ones."""
    rng = np.random.default_rng(seed)
    return [by_numbers(numbers) for numbers in rng.random((samples, NUM_TOKENS))]


def by_numbers(numbers):
    text = [PROMPT[-1]]
    for number in numbers:
        text.append(int(np.searchsorted(np.cumsum(TARGET.table[text[-1]]), number, side="right")))
    return tuple(text[1:])


def twice_each(samples):
    return [text for text in own(samples // 2) for _ in range(2)]


def from_a_pool(samples):
    """As a server that answers a prompt from its cache: some of its answers again, in any order."""
    pool, rng = own(samples), np.random.default_rng(1)
    return [pool[index - rng.integers(1, 4) if rng.random() < 0.3 else index] for index in range(samples)]


def begun_again(samples):
    """The list repeats itself after 700 texts, and is not cut at a whole repetition."""
    return (own(700) * samples)[:samples]


def one_stream(samples):
    """Every text begins one number behind the one before it."""
    numbers = np.random.default_rng(0).random(samples + NUM_TOKENS)
    return [by_numbers(numbers[index : index + NUM_TOKENS]) for index in range(samples)]


def seeded_in_every_call(p, q, drafts, rng):
    return speculative(p, q, drafts, np.random.default_rng(7))
