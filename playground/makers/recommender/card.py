"""The cards of a shop's recommenders: what each is, how it was trained, how good its lists are, as measured."""

import json
from pathlib import Path
from typing import Any

from playground.makers.recommender.objectives import LOSSES
from playground.makers.recommender.pipeline import RECORD_FILE
from playground.makers.training.pair.card import fill_card
from playground.recommender.files import INVENTED
from playground.recommender.versions import VERSIONS

INVENTED_SOURCE = """\
It was trained on {users:,} users of {shop}, whose {items:,} items are invented: nothing it says is about real things
or people. It is for teaching how decoding works. Made by `python -m playground recommender train`; every setting is in
[made.json](../made.json), every figure in [evaluation.json](../../evaluation.json)."""
OWN_SOURCE = """\
It was trained on {users:,} users of {shop}, which has {items:,} items, by `python -m playground recommender train`;
every setting is in [made.json](../made.json)."""
TARGET = "The **target**: a small recommender that writes the identifier of the item a user may want next."
DRAFT = "A **draft** for the [target](../target/README.md) beside it, which judges what it proposes."


def write_cards(models: Path, evaluation: dict[str, Any]) -> None:
    """Write `README.md` next to the weights of the target and of every version that was measured."""
    training = json.loads((models / RECORD_FILE).read_text(encoding="utf-8"))
    measured = {"target", *(row["version"] for row in evaluation["rows"])}
    for name, run in training["runs"].items():
        if name not in measured:
            continue
        fill_card(models / name, "recommender", **_figures(name, run, training, evaluation))


def _figures(name: str, run: dict[str, Any], training: dict[str, Any], evaluation: dict[str, Any]) -> dict[str, object]:
    """Return what the template of a recommender says of one."""
    shape = run["shape"]
    objective = "cross-entropy of the histories"
    if name in VERSIONS and LOSSES[name].align is not None:
        objective = f"{training['alpha']:g} of the alignment of {VERSIONS[name]} and the rest {objective}"
    if name in VERSIONS:
        objective += ", from a first draft trained by cross-entropy"
    shop = training["shop"]
    is_invented = shop["title"] == INVENTED
    source = INVENTED_SOURCE if is_invented else OWN_SOURCE
    return dict(
        title="Recommender: target" if name == "target" else f"Recommender: draft, {VERSIONS[name]}",
        purpose=TARGET if name == "target" else DRAFT,
        layers="1 layer" if shape["layers"] == 1 else f"{shape['layers']} layers",
        **{key: shape[key] for key in ("width", "heads", "feed_forward", "vocab")},
        parameters=run["parameters"],
        objective=objective,
        steps=run["step"],
        minutes=run["cpu_s"] / 60,
        machine=training["machine"],
        measured=_measured(name, evaluation),
        licence="license: mit\n" if is_invented else "",
        tokens="the codes of four levels, `<a_0>` to `<d_63>`" if is_invented else "the codes of all levels",
        source=source.format(shop=shop["title"], items=shop["items"], users=shop["users"]),
    )


def _measured(name: str, evaluation: dict[str, Any]) -> str:
    """Recall@K of the target, or the steps that a draft saves."""
    lines = [f"Measured on {evaluation['users']} users with held-out items, none of them read in training:\n"]
    if name == "target":
        lines += ["| K | Recall@K | NDCG@K |", "|---|---|---|"]
        rows = [row for row in evaluation["rows"] if row["verification"] == "none"]
        lines += [f"| {row['k']} | {row['recall']['mean']:.3f} | {row['ndcg']['mean']:.3f} |" for row in rows]
    else:
        lines += ["| K | accepted steps of 3, strict | relaxed | Recall@K, relaxed |", "|---|---|---|---|"]
        rows = {(row["verification"], row["k"]): row for row in evaluation["rows"] if row["version"] == name}
        lines += [
            f"| {k} | {row['as']['mean']:.2f} | {rows['relaxed', k]['as']['mean']:.2f} | "
            f"{rows['relaxed', k]['recall']['mean']:.3f} |"
            for (rule, k), row in rows.items()
            if rule == "strict"
        ]
    return "\n".join(lines) + "\n"
