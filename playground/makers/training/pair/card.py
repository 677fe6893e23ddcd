"""The model cards of a pair and of its drafters: what each is, what it read, how good it is, all of it measured."""

from pathlib import Path
from typing import Any

from playground.files import write_file
from playground.makers.training.beside import TEXTS, Beside
from playground.makers.training.pair.evaluation import PROSE, SAMPLE_TOKENS
from playground.paths import ASSETS

CARDS = ASSETS / "cards"
SHOWN = 6  # samples in the target's card: the first prompts of the list, each with its place there as seed
UNTITLED = "A pair for speculative decoding"
FRONT = {"license": "licence", "language": "language"}  # a card's own words, and ours

TARGET = (
    "A {millions}-million-parameter language model. It is the **target** of a pair made for the speculative-decoding\n"
    "playground: the model whose distribution must be reproduced, and which judges what its\n"
    "[draft](../draft/README.md) proposes. It exists so that speculative decoding can be seen on any laptop."
)
DRAFT = (
    "A {millions}-million-parameter language model. It is the **draft** of a pair made for the speculative-decoding\n"
    "playground: it proposes tokens quickly, and its [target](../target/README.md) judges them. It was trained beside\n"
    "that target, so it is of little use with any other."
)
OTHER = (
    "A {millions}-million-parameter language model. It is a **second draft** for the [target](../target/README.md) of\n"
    "a pair made for the speculative-decoding playground, beside the pair's own [draft](../draft/README.md): for\n"
    "methods that draft with several models, and to see what another draft does."
)


def write_cards(folder: Path, record: dict[str, Any], measured: dict[str, Any]) -> None:
    """Write `README.md` next to the weights of every model."""
    for role in record["runs"]:
        fill_card(folder / role, "model", **_figures(role, folder / role, record, measured))


def write_card_beside(kind: type[Beside], models: Path, record: dict[str, Any], measured: dict[str, Any]) -> None:
    """Write the `README.md` of a drafter of a pair's target; see `write_cards`."""
    run, numbers = record[kind.name], measured[kind.name]
    size = (models / kind.name / kind.files[1]).stat().st_size
    shared = {
        "front": front(record),
        "title": record.get("title", UNTITLED),
        "data": record["data"],
        "parameters": numbers["parameters"],
        "megabytes": size / 1e6,
        "kilobytes": size / 1e3,
        "tokens_per_step": run["plan"]["tokens_per_step"],
        "tokens": run["tokens"] / 1e6,
        "step": run["step"],
        "kept": int(run["about"].get("num_tokens", 0)) / 1e6,
        "hours": run["cpu_s"] / 3600,
        "machine": run["machine"],
    }
    figures = kind.figures(run, numbers, measured)
    fill_card(models / kind.name, kind.name, **{**run["about"], **run["shape"], **shared, **figures})


def fill_card(folder: Path, template: str, **figures: Any) -> None:
    """Write a model's `README.md` by a template of assets/cards."""
    card = (CARDS / f"{template}.md").read_text(encoding="utf-8").format(**figures)
    write_file(folder / "README.md", card)


def _figures(role: str, folder: Path, record: dict[str, Any], measured: dict[str, Any]) -> dict[str, object]:
    """Return what the template of a pair's models says of one."""
    is_other = role not in ("target", "draft")
    run, numbers = record["runs"][role], measured["others"][role] if is_other else measured[role]
    held_out, about, runs = measured["held_out"], numbers if is_other else measured, [*run.get("before", []), run]
    purpose = {"target": TARGET, "draft": DRAFT}.get(role, OTHER).format(millions=f"{numbers['parameters'] / 1e6:.1f}")
    return {
        "front": front(record),
        "kind": "target" if role == "target" else "draft",
        "title": record.get("title", UNTITLED),
        "role": role,
        "purpose": purpose,
        "shape": describe_shape(run["shape"]),
        "parameters": numbers["parameters"],
        "megabytes": sum(file.stat().st_size for file in folder.glob("*.safetensors")) / 1e6,
        "vocab": record["corpus"]["vocab"],
        "tokenizer": f"{held_out['bytes_per_token']:.2f} bytes a token; the same for both models",
        "context": run["plan"]["window"],
        "trained": "; then ".join(dict.fromkeys(map(describe_training, runs))),
        "tokens": describe_tokens(runs),
        "corpus_tokens": run.get("corpus", record["corpus"])["train_tokens"] / 1e6,
        "time": describe_time(runs, run.get("machine", record["machine"])),
        "nats": numbers["nats_per_token"],
        "bits": numbers["bits_per_byte"],
        "windows": held_out["windows"],
        "window": held_out["window"],
        "held_out": held_out["bytes"] / 1e6,
        "acceptance": acceptance_table(*(about[text] for text in TEXTS)),
        "samples": _samples(measured["samples"][:SHOWN]) if role == "target" else "",
        "data": record["data"],
    }


def front(record: dict[str, Any]) -> str:
    """Return the lines of a card's front matter that say its licence and its language."""
    return "".join(f"{key}: {record[name]}\n" for key, name in FRONT.items() if name in record)


def describe_shape(shape: dict[str, Any]) -> str:
    """Return a network's shape in words."""
    layers = "1 layer" if shape["layers"] == 1 else f"{shape['layers']} layers"
    tied = "tied embeddings" if shape["tied"] else "separate output layer"
    return f"{layers}, width {shape['width']}, {shape['heads']} heads, feed-forward {shape['feed_forward']}, {tied}"


def acceptance_table(held: dict[str, float], own: dict[str, float]) -> str:
    """Table of a draft's acceptance on text that was held out and on the target's own."""
    rows = [
        f"| {name} | {rates['acceptance_1.0']:.3f} | {rates['acceptance_0.7']:.3f} | {rates['same_best']:.3f} |\n"
        for name, rates in (("the held-out text", held), ("text written by the target", own))
    ]
    return "".join(
        ["| contexts | at temperature 1 | at 0.7 | the same token most likely |\n|---|---|---|---|\n", *rows]
    )


def describe_tokens(runs: list[dict[str, Any]]) -> str:
    """Tokens that a network read, run by run where it was trained in several."""
    amounts = ", then ".join(f"{each['tokens'] / 1e6:.1f} million" for each in runs)
    return amounts + (" since it was started from a model that was there" if "started_from" in runs[0]["about"] else "")


def describe_time(runs: list[dict[str, Any]], usual: str) -> str:
    """Core-hours of a network's training on each machine; `usual` is that of a run that names none."""
    hours: dict[str, float] = {}
    for each in runs:
        where = each.get("machine", usual)
        hours[where] = hours.get(where, 0.0) + each["cpu_s"] / 3600
    return ", ".join(f"{each:.2f} core-hours of {where}" for where, each in hours.items())


def describe_training(run: dict[str, Any]) -> str:
    """Objective, text and optimiser of a network's training."""
    objective = {
        "next-token": "next-token cross-entropy",
        "divergence": "distillation: KL divergence from the target's distribution",
        "rejection": "distillation: 1 - sum min(p, q), the target's p",
    }[run["about"]["objective"]]
    text = {
        "corpus": "on the training text",
        "plainest": "on the {of_texts} texts in it that an earlier target found easiest",
        "samples": "on text that the target wrote",
    }[run["about"]["source"]].format(**run["about"])
    products = ", bf16 products" if run["plan"]["low_precision"] else ""
    return f"{objective}, {text}; Muon and AdamW, {run['plan']['tokens_per_step']:,} tokens a step{products}"


def _samples(samples: list[dict[str, str]]) -> str:
    """Quote unedited continuations, each with its prompt in bold."""
    how = f"Temperature {PROSE.temperature}, top-p {PROSE.top_p}, {SAMPLE_TOKENS} tokens"
    parts = [f"\n## Samples, unedited\n\n{how}; the first prompts of the list, seeds from 0.\n"]
    parts += [_quote(_bold(sample["prompt"]) + sample["text"]) for sample in samples]
    return "\n".join(parts)


def _bold(text: str) -> str:
    """Set each line in bold by itself, as bold print ends with its paragraph."""
    return "\n".join(f"**{line}**" if line else "" for line in text.splitlines())


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines()) + "\n"
