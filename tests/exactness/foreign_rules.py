"""Rules as other people write them: plain NumPy, nothing of ours in them. Some are sound, the others make one mistake:
most are one loop with a part changed.

The mistakes are those of broken_rules.py, written anew, so that its laws are not held against themselves.
"""

import numpy as np

from playground.exactness.trial import DRAFT, NUM_TOKENS, PROMPT, TARGET


def drawn(row, rng):
    row = np.maximum(row, 0)
    return int(rng.choice(len(row), p=row / row.sum()))


def left_over(p, q):
    rest = np.maximum(p - q, 0)
    return rest if rest.sum() > 1e-12 else p


def without(row, x):
    return np.where(np.arange(len(row)) == x, 0, row)


def by_ratio(p, q, x, rng):
    return not rng.random() >= p[x] / q[x]


def chain_rule(passes=by_ratio, correction=lambda p, q, i, x: left_over(p[i], q[i]), bonus=lambda p, drafts: p[-1]):
    """A rule for a chain: the test of a draft, and the rows that a correction and the bonus token are drawn from."""

    def rule(p, q, drafts, rng):
        for i, x in enumerate(drafts):
            if not passes(p[i], q[i], x, rng):
                return [*drafts[:i], drawn(correction(p, q, i, x), rng)]
        return [*drafts, drawn(bonus(p, drafts), rng)]

    return rule


def in_turn(after):
    """A rule for several drafts at one position: p and q after a rejection."""

    def rule(p, q, drafts, rng):
        for x in drafts:
            if rng.random() * q[x] < p[x]:
                return x
            p, q = after(p, q, x)
        return drawn(p, rng)

    return rule


def normalised(row):
    return row / max(row.sum(), 1e-300)


# Sound, for a chain


speculative = chain_rule()
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


# A mistake that has no name yet: no chance in the test, and a correction from p
kept_where_p_is_larger = chain_rule(lambda p, q, x, rng: p[x] >= q[x], lambda p, q, i, x: p[i])


# Sound, for several drafts at one position

with_replacement = in_turn(lambda p, q, x: (normalised(left_over(p, q)), q))
without_replacement = in_turn(lambda p, q, x: (normalised(left_over(p, q)), normalised(without(q, x))))


# Mistakes, for a chain


def likeliest(row):
    return np.eye(len(row))[row.argmax()]


def cut(row):
    row = row / row.sum()
    order = np.argsort(-row)
    row[order[np.cumsum(row[order]) - row[order] >= 0.6]] = 0
    return row


correction_from_target = chain_rule(correction=lambda p, q, i, x: p[i])
bonus_from_draft = chain_rule(bonus=lambda p, drafts: DRAFT.table[drafts[-1]])
number_zero = chain_rule(lambda p, q, x, rng: p[x] > 0)
number_zero_or_one = chain_rule(lambda p, q, x, rng: rng.integers(2) * q[x] < p[x])
refused_masked = chain_rule(correction=lambda p, q, i, x: without(p[i], x))
residual_by_softmax = chain_rule(correction=lambda p, q, i, x: np.exp(np.maximum(p[i] - q[i], 0)))
correction_from_next_row = chain_rule(correction=lambda p, q, i, x: p[i + 1])
bonus_likeliest = chain_rule(bonus=lambda p, drafts: likeliest(p[-1]))
upside_down = chain_rule(lambda p, q, x, rng: not (p[x] and rng.random() >= q[x] / p[x]))
match_likeliest = chain_rule(
    lambda p, q, x, rng: x == p.argmax(), lambda p, q, i, x: likeliest(p[i]), lambda p, drafts: likeliest(p[-1])
)
accepted_if_as_likely = chain_rule(lambda p, q, x, rng: p[x] >= q[x])
lenience = chain_rule(lambda p, q, x, rng: rng.random() <= min(1.0, 1.5 * p[x] / q[x]))
bonus_from_row_before = chain_rule(bonus=lambda p, drafts: p[-2])
top_p_after_test = chain_rule(by_ratio, lambda p, q, i, x: cut(left_over(p[i], q[i])), lambda p, drafts: cut(p[-1]))


def one_number(p, q, drafts, rng):
    uniform = rng.random()

    def token(row):
        return int(np.searchsorted(np.cumsum(row) / row.sum(), uniform, side="right"))

    for i, x in enumerate(drafts):
        if uniform >= p[i, x] / q[i, x]:
            return [*drafts[:i], token(left_over(p[i], q[i]))]
    return [*drafts, token(p[-1])]


def test_and_residual(p, q, drafts, rng):
    for i, x in enumerate(drafts):
        number = rng.random()
        if number >= p[i, x] / q[i, x]:
            rest = left_over(p[i], q[i])
            return [*drafts[:i], int(np.searchsorted(np.cumsum(rest) / rest.sum(), number, side="right"))]
    return [*drafts, drawn(p[-1], rng)]


def next_row_of_q(p, q, drafts, rng):
    return speculative(p, np.vstack([q[1:], q[-1:]]), drafts, rng)


def first_unverified(p, q, drafts, rng):
    return [drafts[0], *speculative(p[1:], q[1:], drafts[1:], rng)]


def block_by_tokens(p, q, drafts, rng):
    for n in range(len(drafts), 0, -1):
        x = drafts[n - 1]
        if rng.random() < p[n - 1, x] / q[n - 1, x]:
            break
    else:
        n = 0
    if n == len(drafts):
        return [*drafts, drawn(p[n], rng)]
    return [*drafts[:n], drawn(left_over(p[n], q[n]), rng)]


def passes_counted(p, q, drafts, rng):
    n = sum(rng.random() < p[i, x] / q[i, x] for i, x in enumerate(drafts))
    return [*drafts[:n], drawn(p[n] if n == len(drafts) else left_over(p[n], q[n]), rng)]


def one_test_for_chain(p, q, drafts, rng):
    ratio = np.prod([p[i, x] / q[i, x] for i, x in enumerate(drafts)])
    if rng.random() < ratio:
        return [*drafts, drawn(p[-1], rng)]
    return [drawn(left_over(p[0], q[0]), rng)]


# Mistakes, for several drafts at one position


def after_zeroing(p, q):
    return normalised(left_over(p, q)), q


judged_as_independent = with_replacement
not_normalised = in_turn(lambda p, q, x: (np.maximum(p - q, 0), q))
zeroed_too_early = in_turn(
    lambda p, q, x: (normalised(left_over(p, normalised(without(q, x)))), normalised(without(q, x)))
)
zeroed_only = in_turn(lambda p, q, x: (normalised(left_over(p, q)), without(q, x)))


def undivided(p, q, drafts, rng):
    for x in drafts:
        if rng.random() < p[x] / q[x]:
            return x
    one = np.minimum(p, q).sum()
    return drawn(p - np.minimum(p, q) * (1 - (1 - one) ** len(drafts)) / one, rng)


def each_token_once(p, q, drafts, rng):
    return with_replacement(p, q, list(dict.fromkeys(drafts)), rng)


def sorted_by_token(p, q, drafts, rng):
    return without_replacement(p, q, sorted(drafts), rng)


def unmasked(p, q, drafts, rng):
    return in_turn(lambda p, q, x: (p, q))(p, np.ones(len(p)), drafts, rng)


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


def drafted_from(law):
    def sampler(last, draft_length, rng, noise):
        context = [last]
        for _ in range(draft_length):
            context.append(drawn(law(DRAFT.table[context[-1]]), rng))
        return speculative(TARGET.table[context], DRAFT.table[context], context[1:], rng)

    return sampler


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
