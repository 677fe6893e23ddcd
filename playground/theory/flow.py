"""Share out the mass of pairs so that as few groups as possible go short: a small maximum flow.

Every pair of groups owns some mass, held by one, the other or both. A group with more than it needs hands mass of a
pair over to the other of the pair, which may hand over in turn, until it arrives where it is lacking. Dinic's
algorithm: the shortest chains first. There are some dozens of groups, so plain lists are faster than arrays, and the
whole is faster than setting up a general linear program.
"""

Held = list[list[float]]  # (G, G)

_NOTHING = 1e-14  # smaller masses are rounding


def rebalance(held: Held, surplus: list[float]) -> None:
    """Hand as much mass as possible from groups with a surplus to groups that lack, in place.

    Args:
        held: held[i][j] is what i has of the mass of the pair {i, j}, and may hand over to j.
        surplus: of each group over its p; negative where it lacks.
    """
    while levels := _levels(held, surplus):
        last, untried = max(levels), [0] * len(surplus)
        for group, level in enumerate(levels):
            while level == 0 and surplus[group] > _NOTHING:
                given = _hand_over(held, surplus, levels, last, untried, group, surplus[group])
                if not given:
                    break
                surplus[group] -= given


def _levels(held: Held, surplus: list[float]) -> list[int]:
    """Hand-overs between each group and a surplus, up to the first groups that lack; empty if there are none.

    -1 is for groups that are farther away.
    """
    levels = [0 if extra > _NOTHING else -1 for extra in surplus]
    reached, level = [group for group, zero in enumerate(levels) if zero == 0], 0
    while reached and all(surplus[group] >= -_NOTHING for group in reached):
        level += 1
        above, reached = reached, []
        for group in above:
            for other, mass in enumerate(held[group]):
                if levels[other] < 0 and mass > _NOTHING:
                    levels[other] = level
                    reached.append(other)
    return levels if reached else []


def _hand_over(
    held: Held,
    surplus: list[float],
    levels: list[int],
    last: int,
    untried: list[int],
    group: int,
    amount: float,
) -> float:
    """Hand over up to `amount` along one chain from this group to one that lacks, at the last level; what arrived.

    Args:
        held, surplus: as in `rebalance`, changed in place, but for the surplus the chain starts from.
        levels: of the groups; a chain goes up by one with each hand-over.
        last: the highest of them.
        untried: of each group, the first other group that is still worth trying.
    """
    if levels[group] == last:
        amount_taken = min(amount, -surplus[group])
        if amount_taken <= _NOTHING:
            return 0.0
        surplus[group] += amount_taken
        return amount_taken
    while untried[group] < len(levels):
        other = untried[group]
        if levels[other] == levels[group] + 1 and held[group][other] > _NOTHING:
            given = _hand_over(held, surplus, levels, last, untried, other, min(amount, held[group][other]))
            if given:
                held[group][other] -= given
                held[other][group] += given
                return given
        untried[group] += 1
    return 0.0
