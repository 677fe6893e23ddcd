"""The comparisons behind the papers' headline tables and figures, at a size that this machine runs in minutes.

A preset names the runs, not their results: models, prompts and hardware are others than in the paper, and `reduced`
says so. What is kept is the question: the same methods, against each other, over the same options.
"""

from __future__ import annotations

from itertools import product

from playground.decoding.methods.importance_sampling import CLASSES
from playground.decoding.sampling import Sampling
from playground.errors import PlaygroundError, did_you_mean
from playground.papers.budgets import BUDGETS, CHAINS, TREES, chains, tree
from playground.papers.preset import Axis, Claim, Preset

SMALL = "Our pair of 16 M and 2 M parameters writing stories, a few prompts and short texts, in place of {}. "

RSD = ("rsd_c", "rsd_s")
RSD_RIVALS = ("speculative_sampling", "spectr", "rsd_c")  # those that the captions name
RSD_LENGTHS = Preset(
    id="rsd-figure4",
    title="RSD, Figure 4: equal draft lengths",
    paper="rsd",
    places=("Figure 4",),
    choices=tuple(
        choice
        for length in (2, 3, 4, 5)
        for choice in (
            ("speculative_sampling", {"draft_length": length}),
            chains("spectr", 4, length),
            chains("specinfer", 4, length),
            tree(*(4, *[1] * (length - 1))),
            chains("rsd_s", 4, length),
        )
    ),
    axes=(Axis("draft length", ("draft_length",)),),
    y=("block_efficiency", "mbsu", "speed_up"),
    own=RSD,
    claims=(
        Claim(
            "RSD-S is ahead of speculative sampling, SpecTr and RSD-C at every equal draft length",
            "block_efficiency",
            ahead=("rsd_s",),
            behind=RSD_RIVALS,
        ),
    ),
    seconds=160,
    reduced=SMALL.format("Llama 2-70B and its drafts on WMT and XSum")
    + "Widths are 4 everywhere; those of the paper were not at hand.",
)
RSD_BUDGETS = Preset(
    id="rsd-figure5",
    title="RSD, Figure 5: equal target budgets",
    paper="rsd",
    places=("Figure 5",),
    choices=(
        *(("speculative_sampling", {"draft_length": budget}) for budget in BUDGETS),
        *(
            chains(method, *shape)
            for method, budget in product(("spectr", "specinfer", "rsd_s"), BUDGETS)
            for shape in CHAINS[budget]
        ),
        *(tree(*shape) for budget in BUDGETS for shape in TREES[budget]),
    ),
    axes=(Axis("target budget, drafted nodes per round", ("budget",)),),
    y=("block_efficiency", "mbsu", "speed_up"),
    own=RSD,
    claims=(
        Claim(
            "RSD-S is ahead of speculative sampling, SpecTr and RSD-C at most equal target budgets",
            "block_efficiency",
            ahead=("rsd_s",),
            behind=RSD_RIVALS,
            share=0.5,
        ),
    ),
    seconds=320,
    reduced=SMALL.format("Llama 2-70B and its drafts on WMT and XSum")
    + "The budgets are the paper's: 6, 10, 14, 21 and 30 drafted nodes; the shapes are those that spend them exactly. "
    + "Methods of several chains or branches have two shapes each, speculative sampling the one that there is; the "
    + "line goes through the better one.",
)

KHISTI_SAMPLING = Sampling(top_p=0.95)
OURS = ("importance_sampling", {"num_classes": CLASSES})
BESIDE = "The paper's truncated rule runs under its name; beside it stands ours, with classes, under its own. "
KHISTI_MODELS = "OPT models on Dolly, XSum and WMT"
IMPORTANCE_DRAFTS = Preset(
    id="importance-table1",
    title="Importance sampling, Table 1: 2 to 6 drafts",
    paper="importance_sampling",
    places=("Table 1",),
    choices=tuple(
        (method, {**options, **more})
        for rival, more in (("importance_sampling", {}), OURS, ("specinfer", {}), ("spectr", {}))
        for number in range(2, 7)
        for method, options in (chains(rival, number, 5),)
    ),
    axes=(Axis("number of drafts", ("num_drafts", "chains")),),
    y=("block_efficiency",),
    own=("importance_sampling",),
    seconds=380,
    reduced=SMALL.format(KHISTI_MODELS)
    + BESIDE
    + "Both models at temperature 1, chains of 5; the paper's numbers for both were "
    "not at hand.",
    sampling=KHISTI_SAMPLING,
    repeats=2,
)
IMPORTANCE_HEAT = Preset(
    id="importance-figure3",
    title="Importance sampling, Figure 3: two drafts at another temperature than the target",
    paper="importance_sampling",
    places=("Figure 3",),
    choices=tuple(
        (method, options | {"draft_length": 5, "draft_temperature_factor": factor})
        for factor in (1.2, 1.6, 2.0, 2.4)
        for method, options in (
            ("speculative_sampling", {}),
            ("importance_sampling", {"num_drafts": 2}),
            ("importance_sampling", {"num_drafts": 2, "num_classes": CLASSES}),
            ("specinfer", {"chains": 2}),
            ("spectr", {"num_drafts": 2}),
        )
    ),
    axes=(Axis("draft temperature / target temperature", ("draft_temperature_factor",)),),
    y=("block_efficiency", "speed_up"),
    own=("importance_sampling",),
    seconds=250,
    reduced=SMALL.format(KHISTI_MODELS)
    + BESIDE
    + "Target at temperature 1, chains of 5; the paper's range was not at hand.",
    sampling=KHISTI_SAMPLING,
)
IMPORTANCE_UNLIKE = Preset(
    id="importance-figure4",
    title="Importance sampling, Figure 4: two drafts that differ in temperature",
    paper="importance_sampling",
    places=("Figure 4",),
    choices=(
        ("speculative_sampling", {"draft_length": 5, "draft_temperature_factor": 1.2}),
        *(
            (method, more | {"draft_length": 5, "draft_temperature_factor": 1.2, "temperature_spread": spread})
            for spread in (1.0, 1.35, 1.7, 2.0)
            for method, more in (
                ("importance_sampling", {"num_drafts": 2}),
                ("importance_sampling", {"num_drafts": 2, "num_classes": CLASSES}),
                ("specinfer", {"chains": 2}),
            )
        ),
    ),
    axes=(Axis("second draft temperature / the first", ("temperature_spread",)),),
    y=("block_efficiency", "speed_up"),
    own=("importance_sampling",),
    seconds=140,
    reduced=SMALL.format(KHISTI_MODELS)
    + BESIDE
    + "Target at temperature 1, the first draft at 1.2 and the second at up to twice that, chains of 5; the paper's "
    + "range was not at hand.",
    sampling=KHISTI_SAMPLING,
)
IMPORTANCE_TRUNCATION = Preset(
    id="importance-table2",
    title="Importance sampling, Table 2: how much of the alphabet the linear program sees",
    paper="importance_sampling",
    places=("Table 2",),
    choices=(
        ("speculative_sampling", {"draft_length": 5}),
        *(
            (
                "importance_sampling",
                {"draft_length": 5, "num_drafts": 2, "num_classes": 0, "alphabet": alphabet, "lp_size": lp_size},
            )
            for alphabet, lp_size in ((10, 5), (20, 5), (40, 5), (50, 5), (40, 10), (40, 15))
        ),
    ),
    axes=(
        Axis("alphabet size", ("alphabet",), {"lp_size": 5}),
        Axis("tokens weighed by the linear program", ("lp_size",), {"alphabet": 40}),
    ),
    y=("block_efficiency", "gain"),
    over="speculative_sampling",
    own=("importance_sampling",),
    seconds=130,
    reduced=SMALL.format(KHISTI_MODELS)
    + "Both drafts at temperature 1. As in the paper tokens are ranked, not put into "
    "classes.",
    sampling=KHISTI_SAMPLING,
    repeats=2,
)

DSBD_SAMPLING = Sampling(top_k=10, top_p=0.8)
DSBD_MODELS = "Llama-2-13B, Llama-3.1-8B and OPT-13B with their drafts on SQuAD, Spider and MT-Bench"
DSBD_QUALITY = "Perplexity under the target stands in for the score of a task. "
DSBD_TREE = "SpecInfer drafts a tree of three branches, as the paper cites it for its tree and names no shape. "
DSBD_WIDTHS = Preset(
    id="dsbd-figure4",
    title="DSBD, Figure 4: quality against speed and energy",
    paper="dsbd",
    places=("Section 4.2, of Figures 4 and 5",),
    choices=(
        *(("beam_sampling", {"width": width}) for width in (1, 2, 3, 4)),
        *(
            ("dsbd", {"num_draws": draws, "threshold": threshold, "width": width})
            for draws, threshold, width in product((2, 4, 6), (0.7, 0.9), (1, 2))
        ),
        ("speculative_sampling", {"draft_length": 3}),
        ("specinfer", {"draft_length": 3}),
    ),
    axes=(Axis("perplexity under the target", ("perplexity",)),),
    y=("tokens_per_s", "estimated_joules_per_token"),
    own=("dsbd",),
    seconds=180,
    reduced=SMALL.format(DSBD_MODELS)
    + DSBD_QUALITY
    + DSBD_TREE
    + "Draft widths 2, 4, 6 of the paper's 2 to 6, least widths 1 and 2 of its 1 to 3.",
    sampling=DSBD_SAMPLING,
)
DSBD_SCORES = Preset(
    id="dsbd-table1",
    title="DSBD, Table 1: against SpecInfer and beam sampling",
    paper="dsbd",
    places=("Table 1",),
    choices=(
        ("specinfer", {"draft_length": 3}),
        ("beam_sampling", {"width": 5}),
        ("dsbd", {"num_draws": 6}),
        ("dsbd_one_cache", {"num_draws": 6}),
    ),
    axes=(),
    y=("tokens_per_s", "perplexity", "estimated_joules_per_token"),
    own=("dsbd_one_cache",),
    seconds=100,
    reduced=SMALL.format(DSBD_MODELS)
    + DSBD_QUALITY
    + DSBD_TREE
    + "The paper's DSBD keeps one text's keys and values here; the form that keeps all stands beside it, both of up to "
    + "6 draft beams.",
    sampling=DSBD_SAMPLING,
    repeats=2,
)
DSBD_MEMORY = Preset(
    id="dsbd-table2",
    title="DSBD, Table 2: everyone keeps one text's keys and values",
    paper="dsbd",
    places=("Table 2",),
    choices=(
        ("speculative_sampling", {"draft_length": 3}),
        ("specinfer", {"draft_length": 3}),
        ("dsbd_one_cache", {"num_draws": 6}),
    ),
    axes=(),
    y=("tokens_per_s", "perplexity", "estimated_joules_per_token", "peak_cache_bytes"),
    own=("dsbd_one_cache",),
    seconds=70,
    reduced=SMALL.format(DSBD_MODELS) + DSBD_QUALITY + DSBD_TREE,
    sampling=DSBD_SAMPLING,
    repeats=2,
)

MTAD_SAMPLING = Sampling(top_k=20, top_p=0.9)
MTAD_MODELS = "Llama-2-13B with 68M and OPT-13B with 125M on five data sets, 128 tokens"
MTAD_BASELINES = Preset(
    id="mtad-table4",
    title="MTAD, Tables 4 and 5: against four ways of sampling",
    paper="mtad",
    places=("Table 4", "Table 5"),
    choices=(
        ("speculative_sampling", {"draft_length": 4}),
        ("bild", {"draft_length": 10, "fallback": 0.9, "rollback": 2}),
        chains("spectr", 4, 4),
        chains("specinfer", 4, 4),
        ("mtad", {"draft_length": 4, "beam_width": 8, "tau": 0.1}),
    ),
    axes=(),
    y=("tokens_per_s", "block_efficiency", "perplexity", "estimated_joules_per_token"),
    own=("mtad",),
    seconds=90,
    reduced=SMALL.format(MTAD_MODELS) + "Options are those of the paper's Table 13 for ChatGPT-Prompt; "
    "beams are drawn, as in its section 3.2.",
    sampling=MTAD_SAMPLING,
    repeats=2,
)
MTAD_BEAMS = Preset(
    id="mtad-table7",
    title="MTAD, Table 7: the number of beams",
    paper="mtad",
    places=("Table 7",),
    choices=tuple(("mtad", {"beam_width": width, "tau": 0.1}) for width in (2, 4, 6, 8)),
    axes=(Axis("number of beams", ("beam_width",)),),
    y=("tokens_per_s", "perplexity", "estimated_joules_per_token"),
    own=("mtad",),
    seconds=50,
    reduced=SMALL.format(MTAD_MODELS),
    sampling=MTAD_SAMPLING,
    repeats=2,
)
MTAD_THRESHOLD = Preset(
    id="mtad-figure3",
    title="MTAD, Figure 3: the acceptance threshold",
    paper="mtad",
    places=("Figure 3",),
    choices=tuple(("mtad", {"tau": tau}) for tau in (0, 0.1, 0.3, 0.5, 0.7, 0.9, 1)),
    axes=(Axis("acceptance threshold tau", ("tau",)),),
    y=("perplexity", "tokens_per_s"),
    own=("mtad",),
    seconds=70,
    claims=(
        Claim("speed falls as the threshold rises", "tokens_per_s", trend=-1),
        Claim(
            "perplexity is good at threshold 0, stays about level, and rises near 1 to that of plain sampling",
            "perplexity",
            trend=1,
        ),
    ),
    reduced=SMALL.format(MTAD_MODELS),
    sampling=MTAD_SAMPLING,
)

ATSPEED_RULES = Preset(
    id="atspeed-table1",
    title="AtSpeed, Table 1: strict and relaxed verification",
    paper="atspeed",
    places=("Table 1",),
    choices=tuple(
        choice
        for width in (1, 3, 5, 10)
        for choice in (
            ("beam_search", {"width": width}),
            ("atspeed_strict", {"draft_length": 4, "width": width, "spare": 20 - width}),
            ("atspeed_relaxed", {"draft_length": 4, "width": width, "spare": 20 - width}),
        )
    ),
    axes=(Axis("recommended items K; here beams", ("width",)),),
    y=("over", "tokens_per_s", "block_efficiency"),
    over="beam_search",
    own=("atspeed_strict", "atspeed_relaxed"),
    seconds=70,
    reduced="The two rules of verification run on stories here, by our pair of 16 M and 2 M parameters in place of a "
    "recommender of 7 B, on texts of 24 tokens in place of items of 4, with 20 draft beams in place of 40, and no list "
    "of 20. The draft model was distilled from the target on stories, as the paper's WordKD is. The same table on "
    "items is in the Recommend tab, with all six ways of training a draft. The paper's speed-up is over beam search of "
    "the same width, which stands beside each.",
    max_new_tokens=24,
)

PRESETS = {
    preset.id: preset
    for preset in (
        RSD_LENGTHS,
        RSD_BUDGETS,
        IMPORTANCE_DRAFTS,
        IMPORTANCE_HEAT,
        IMPORTANCE_UNLIKE,
        IMPORTANCE_TRUNCATION,
        DSBD_WIDTHS,
        DSBD_SCORES,
        DSBD_MEMORY,
        MTAD_BASELINES,
        MTAD_BEAMS,
        MTAD_THRESHOLD,
        ATSPEED_RULES,
    )
}


def find_preset(preset_id: str) -> Preset:
    """The preset with this id.

    Raises:
        PlaygroundError: if there is none.
    """
    if preset_id not in PRESETS:
        raise PlaygroundError(f"Unknown preset {preset_id!r}.{did_you_mean(preset_id, PRESETS)}")
    return PRESETS[preset_id]
