"""The tables in the READMEs that are written by a command: `python -m tests.tables` renews them all.

A table stands in a README between `<!-- NAME:begin -->` and `<!-- NAME:end -->`; NAME is a key of `TABLES`. What stands
there follows from the code, or from a file of measurements in assets/, and assets/README.md says which command measures
it. tests/test_readme.py holds every table to what this module makes of them.
"""

import ast
import json
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from playground.cli.costs import RATES
from playground.decoding.method import make_method, methods
from playground.exactness.broken_rules import BROKEN, BrokenRule
from playground.exactness.losslessness import changed_options, every_claim
from playground.exactness.whole_runs import ROUNDING, WholeRuns, whole_runs
from playground.lab.one_position import acceptance_by_scheme
from playground.lab.verification_costs import as_markdown, cost_rows
from playground.makers.recommender.tables import tables
from playground.makers.several_drafts import RIVALS
from playground.makers.training.block import positions_table
from playground.models.bundled import pair_in
from playground.models.untried import UNTRIED
from playground.papers.presets import presets
from playground.ui.speeds import speeds
from tests.pieces import RENEWED, pieces

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
ASSETS = ROOT / "assets"
PAPERS = ASSETS / "player" / "take" / "papers.js"
METHODS = ROOT / "playground" / "decoding" / "methods"
LOSSLESSNESS = ASSETS / "losslessness.json"
TIMES = ("times.md", "times_float32.md")
CHAT_TIMES = "times_smollm2.md"
ENGINE = {"weights in 16 bits": ASSETS / "engine.json", "weights in 32 bits": ASSETS / "engine_float32.json"}
RATIOS = {
    "plain decoding, over transformers' `generate`": "autoregressive_vs_generate",
    "speculative sampling, over transformers' assisted generation": "speculative_vs_assisted",
    "beam search of width 4, over transformers'": "beam_search_4_vs_generate",
    "beam search of width 8, over transformers'": "beam_search_8_vs_generate",
    "speculative sampling, over plain decoding": "speculative_vs_autoregressive",
    "prompt lookup, over transformers' own, greedily on prompts that stand there twice": "prompt_lookup_vs_generate",
}
GPU, SIDES = ASSETS / "gpu.json", ("speculative_sampling", "autoregressive")
SEVERAL_DRAFTS = ASSETS / "several_drafts.json"
LOSSY_MAP = ASSETS / "lossy_map.json"
SEVERAL_SCHEMES = {  # Schemes have the names of the paper's table, which lacks two of them.
    "speculative": "one draft",
    "spec_infer": "SpecInfer",
    "k_seq": "K-SEQ",
    "importance_truncated": "paper's rule",
    "importance_pooled": "our classes",
    "optimal_with_replacement": "optimum",
}
LLAMA = ASSETS / "engine_llama.json"
SHOP = ASSETS / "shop" / "evaluation.json"
EVALUATION = ASSETS / "models" / "evaluation.json"
ONE_POSITION = ([0.15, 0.35, 0.1, 0.25, 0.15], [0.4, 0.25, 0.2, 0.1, 0.05], 2)  # target, draft, number of drafts


def readmes() -> list[Path]:
    """Every README of ours: the repository's, and that of each room. The models' cards are written by `train`."""
    return [README, ASSETS / "README.md", *sorted((ROOT / "playground").glob("**/README.md"))]


def with_tables(readme: Path, text: str) -> str:
    """The text of a README with every table in it renewed."""

    def renewed(found: re.Match[str]) -> str:
        begin, name, old, end = found.groups()
        return begin + TABLES[name](readme, old) + end

    return re.sub(r"(<!-- (\w+):begin -->\n)(.*?)(<!-- \2:end -->)", renewed, text, flags=re.DOTALL)


def laws_table(readme: Path, _old: str) -> str:
    """Every method with the law that it claims; those of the law that most claim come first, those without one last."""
    claims = Counter(method.reproduces for method in methods().values())
    ordered = sorted(methods().items(), key=lambda each: (each[1].reproduces == "none", -claims[each[1].reproduces]))
    rows = ([f"[{each.title}]({_link(readme, _file(name))})", each.reproduces] for name, each in ordered)
    return table(["method", "reproduces"], rows)


def methods_table(readme: Path, _old: str) -> str:
    """Every method with its id, its claim and its paper."""
    rows = []
    for method_id, method in methods().items():
        paper = re.sub(r"arXiv (\d{4}\.\d{4,5})", r"[arXiv \1](https://arxiv.org/abs/\1)", method.paper)
        rows.append([method.title, f"[`{method_id}`]({_link(readme, _file(method_id))})", method.reproduces, paper])
    return table(["method", "id", "reproduces", "paper"], rows)


def contents_table(readme: Path, old: str) -> str:
    """The files and folders of the README's folder, each with the first line of its docstring."""
    return _contents(readme, readme.parent, old)


def broken_table(_readme: Path, _old: str) -> str:
    """The rules that are broken on purpose."""
    rows = ([rule.title, f"`{rule.method}`", rule.mistake, rule.why, _seen(rule)] for rule in BROKEN.values())
    return table(["broken rule", "of", "mistake", "what it does", "seen in"], rows)


def _seen(rule: BrokenRule) -> str:
    """A link to the thread, called by its repository and number, and what was otherwise there."""
    if not rule.thread:
        return "no thread known"
    _, owner, repository, _, number = rule.thread.split("/")
    return f"[{owner}/{repository} #{number}](https://{rule.thread}) {rule.otherwise}".strip()


def presets_table(_readme: Path, _old: str) -> str:
    """The papers' comparisons that can be run here."""
    rows = ([f"`{each.id}`", each.title, len(each.choices), each.num_runs] for each in presets().values())
    return table(["`--preset`", "comparison", "settings", "runs"], rows)


def acceptance_table(_readme: Path, _old: str) -> str:
    """Acceptance at one position by every scheme, for the two rows of the command above the table."""
    result = acceptance_by_scheme(*ONE_POSITION)
    left_out = {"normalised", "k_seq_factor"}  # no acceptances
    return table(["scheme", "acceptance"], ([f"`{s}`", f"{v:.6f}"] for s, v in result.items() if s not in left_out))


def losslessness_table(_readme: Path, _old: str) -> str:
    """A row for every claim, also for one that was not measured yet."""
    results = {(row["method"], tuple(row["options"].items())): row for row in _read(LOSSLESSNESS)}
    head = ["method", "claims", "TV from", "TV", "noise floor (1 in 100 above)", "p-value", "verdict", "runs"]
    rows = []
    for name, options in every_claim():
        changed = changed_options((name, options))
        shown = " ".join([f"`{name}`", *(f"{option}={value:g}" for option, value in changed.items())])
        row = results.get((name, tuple(changed.items())))
        if row is None:
            claim = make_method(name, dict(options)).reproduces
            rows.append([shown, claim, "", "", "", "", "not measured yet", ""])
            continue
        p_value = "below 0.0001" if row["p_value"] < 1e-4 else f"{row['p_value']:.3g}"
        distribution = "its claim" if row["law"] == row["reproduces"] else row["law"]
        noise = f"{row['noise_floor']:.4f} ({row['noise_upper']:.4f})"
        tv, runs = f"{row['tv']:.4f}", f"{row['samples']:,}"
        rows.append([shown, row["reproduces"], distribution, tv, noise, p_value, row["verdict"], runs])
    rows += map(_enumerated, whole_runs())
    claimed = [row["p_value"] for row in results.values() if row["law"] == row["reproduces"] and row["p_value"] < 1]
    chance = 1 - (1 - min(claimed)) ** len(claimed)
    return (
        f"{table(head, rows)}\nThe smallest p-value of a claim is {min(claimed):.2g}. Were every claim true, "
        f"{chance:.0%} of such tables would have one as small.\n"
    )


def _enumerated(row: WholeRuns) -> list[Any]:
    """Return the row of an enumeration: no noise, no p-value, and all courses in place of runs."""
    shown = " ".join([f"`{row.method}`", *(f"{option}={value:g}" for option, value in row.options.items())])
    shown += f" drafter={row.drafter}" if row.drafter else ""
    tv = f"below {ROUNDING:g}" if row.tv < ROUNDING else f"{row.tv:.4f}"
    runs = f"all {row.num_courses:,} of {row.num_tokens} tokens"
    return [shown, row.reproduces, "its claim", tv, "none", "", row.verdict, runs]


def renewed_table(_readme: Path, _old: str) -> str:
    """List the pieces that depend on the bundled pair, each with the pair that it was made with."""
    now, made = pair_in(), _read(RENEWED)
    rows = []
    for piece in pieces():
        about = made.get(piece.name, {})
        state = "" if piece.is_fresh(made, now) else "stale" if about else "not made yet"
        pair, *others = (about.get(name, "") for name in ("pair", "format", "on", "machine", "minutes"))
        rows.append([piece.name, f"`{pair}`" if pair else "", *others, state])
    return (
        f"The pair that is here is `{now}`.\n\n"
        f"{table(['piece', 'made with', 'number format', 'on', 'machine', 'minutes', 'state'], rows)}"
    )


def recordings_table(_readme: Path, _old: str) -> str:
    """Tabulate every recorded run with its speed and that of plain decoding or plain beams beside it."""
    rows = [
        [
            f"`{each.name}`",
            each.method,
            each.target,
            "" if each.plain is None else f"{each.plain:.0f}",
            f"{each.own:.0f}",
            "" if each.ratio is None else "{:.2f} ({:.2f} to {:.2f})".format(*each.ratio),
            each.machine,
            each.on,
        ]
        for each in speeds()
    ]
    return (
        table(["run", "method", "target", "plain, tokens/s", "own, tokens/s", "ratio", "machine", "on"], rows)
        + "\n*Measured*, one thread, prefill excluded. Plain is plain decoding of the same prompt, seed and sampling, "
        "or for beams plain beams; it took turns with the run five times, for an opening run nine times. Both "
        "tokens/s are those of the turn with the median ratio, in brackets its lowest and highest. "
        "A run without a ratio is plain itself, or was not timed in turns; then its own tokens/s are those of its "
        "recording.\n"
    )


def pair_table(_readme: Path, _old: str) -> str:
    """Tabulate the bundled pair, as `train evaluate` measured it."""
    measured = _read(EVALUATION)
    roles = [(role, measured[role]) for role in ("target", "draft")]
    rows = [[f"{role}, parameters", f"{found['parameters']:,}"] for role, found in roles]
    rows += [[f"{role}, held-out loss, bits a byte", f"{found['bits_per_byte']:.3f}"] for role, found in roles]
    texts = {"held-out text": measured["on_held_out_text"], "text of the target": measured["on_text_of_the_target"]}
    for text, found in texts.items():
        for temperature in ("1.0", "0.7"):
            acceptance = found[f"acceptance_{temperature}"]
            rows.append([f"{text}: a draft token is accepted, temperature {float(temperature):g}", f"{acceptance:.3f}"])
        rows.append([f"{text}: both find the same token most likely", f"{found['same_best']:.3f}"])
    if head := measured.get("head"):
        first, *later = (f"{each:.3f}" for each in head["accepted_by_step"])
        rows.append(["held-out text: the head's first token is accepted, temperature 1", first])
        rows.append(["the tokens it drafts behind that, from its own guesses", ", ".join(later)])
    return table(["bundled pair", "measured"], rows)


def several_drafts_table(_readme: Path, _old: str) -> str:
    """Tabulate the acceptance of one of K drafts by each rule, and the order that a paper's table claims."""
    measured = _read(SEVERAL_DRAFTS)
    rows = []
    for setting in measured["settings"]:
        for row in setting["rows"]:
            schemes = [f"{row['schemes'][name]:.4f}" for name in SEVERAL_SCHEMES]
            above = [
                f"{each['value']:+.4f} ({each['low']:+.4f} to {each['high']:+.4f})" for each in row["above"].values()
            ]
            rows.append([f"{setting['top_p']:g}", row["num_drafts"], *schemes, *above])
    differences = [f"paper's rule less {SEVERAL_SCHEMES[name]}" for name in RIVALS]
    head = ["top-p", "K", *SEVERAL_SCHEMES.values(), *differences]
    positions = " and ".join(str(setting["positions"]) for setting in measured["settings"])
    return (
        f"{table(head, rows)}\n"
        f"*Computed* exactly at {positions} positions of {measured['prompts']} texts that the target wrote at "
        f"temperature {measured['temperature']:g}, {measured['max_new_tokens']} tokens each, seed "
        f"{measured['seed']}; in brackets a 95 % bootstrap interval over prompts. {_made('several drafts')}.\n"
    )


def lossy_map_table(_readme: Path, _old: str) -> str:
    """Tabulate both ends of every rule's line on the map, and the order that a paper claims of those that truncate."""
    measured = _read(LOSSY_MAP)
    lines: dict[str, list[dict[str, Any]]] = {}
    for point in measured["points"]:
        lines.setdefault(" ".join([f"`{point['method']}`", *point["sampling"]]), []).append(point)
    rows = [
        [name, _settings_of(line[0]), *_on_pair(line[0]), _settings_of(line[-1]), *_on_pair(line[-1])]
        for name, line in lines.items()
    ]
    beyond = [each["pair"]["beyond"] for each in measured["points"] if "beyond" in each["pair"]]
    farther, nearer = sum(each["low"] > 0 for each in beyond), sum(each["high"] < 0 for each in beyond)
    head = ["rule", "from", "tokens a call", "distance", "to", "tokens a call", "distance"]
    return (
        f"{table(head, rows)}\n"
        f"*Computed* (distances) and counted (tokens), {measured['draft_length']} drafts a round, temperature 1: exact "
        f"distances at {measured['positions']} positions of {measured['prompts']} texts that the target wrote, tokens "
        f"of runs of {measured['max_new_tokens']} tokens, seed {measured['seed']}; in brackets a 95 % bootstrap "
        f"interval over prompts. {_made('lossy map')}. Of {len(beyond)} settings of the two rules that truncate, "
        f"{farther} are beyond chance farther from the target than the target truncated to the tokens that they let "
        f"pass, and {nearer} nearer.\n"
    )


def _settings_of(point: dict[str, Any]) -> str:
    hidden = ("draft_length", "width", "beam_width", *point["sampling"])
    shown = {name: value for name, value in point["options"].items() if name not in hidden}
    return ", ".join(f"{name} {value:.3g}" for name, value in (shown | point["sampling"]).items())


def _on_pair(point: dict[str, Any]) -> list[str]:
    return [
        f"{each['value']:.{digits}f} ({each['low']:.{digits}f} to {each['high']:.{digits}f})"
        for each, digits in ((point["pair"]["tokens"], 2), (point["pair"]["distance"], 3))
    ]


def engine_table(_readme: Path, _old: str) -> str:
    """Tabulate the measurements of `benchmark` against others, with the weights of both models in 16 and in 32 bits."""
    reports = [_read(file) for file in ENGINE.values()]
    conditions = reports[0]["conditions"]
    rows = [
        *([title, *(_between(report[line]) for report in reports)] for title, line in RATIOS.items()),
        *(
            [f"a call over {count} nodes, over one over a single node", *(f"{found:.2f}" for found in by_report)]
            for count in ("4", "8", "32")
            for by_report in [[report["tree_cost"]["chain"][count] for report in reports]]
        ),
        [
            "plain decoding, tokens/s",
            *(f"{each['autoregressive_vs_generate']['tokens_per_s']:.0f}" for each in reports),
        ],
    ]
    few = conditions["num_prompts_of_growth"]
    versions = ", ".join(f"{name} {number}" for name, number in conditions["versions"].items() if name != "playground")
    days = " and ".join(dict.fromkeys(report["conditions"]["on"] for report in reports))
    return (
        f"{table(['measured', *ENGINE], rows)}\n"
        f"*Measured*: ratios of tokens/s, both sides in turns in one process, {conditions['num_tokens']} tokens; "
        f"medians over {conditions['num_prompts']} prompts, prompt lookup over {few}; lowest and "
        "highest are of a prompt. A call over n nodes is the median of 9 behind 128 tokens. "
        f"{conditions['machine']['processor']}, {conditions['machine']['threads']} "
        f"thread, {days}; {versions}. Target and draft are in one number format.\n"
    )


def gpu_table(_readme: Path, _old: str) -> str:
    """Tabulate what was measured once on a GPU, with a deep draft model and a shallow one."""
    measured = _read(GPU)
    deep, shallow = measured["reports"][:2]
    parts = [
        [f"{each[f'{name}_ms']:.2f}" for name in ("draft", "verify", "other")]
        for each in map(_speculative, (deep, shallow))
    ]
    joules = [each["joules_per_token"] for each in (deep, shallow)]
    rows = [
        ["CUDA graphs, over the same pass without them", _between(deep["replayed_vs_lean"])],
        ["plain decoding, over transformers' `generate`", _between(deep["autoregressive_vs_generate"])],
        *(
            [
                f"speculative sampling, over plain decoding, {name} draft model",
                _between(each["speculative_vs_autoregressive"]),
            ]
            for name, each in (("deep", deep), ("shallow", shallow))
        ),
        *(
            [f"a round: 4 draft calls, the target call, the rest, ms, {name}", ", ".join(each)]
            for name, each in zip(("deep", "shallow"), parts, strict=True)
        ),
        *(
            [
                f"joules a token, of plain decoding beside it, whole board, {name}",
                ", ".join(f"{each[side]:.2f}" for side in SIDES),
            ]
            for name, each in zip(("deep", "shallow"), joules, strict=True)
        ),
    ]
    billions = [
        " and ".join(f"{count / 1e9:.2f}" for count in each["conditions"]["parameters"]) for each in (deep, shallow)
    ]
    conditions = deep["conditions"]
    return (
        f"{table(['measured', 'result'], rows)}\n"
        f"*Measured* once, {measured['on']}, {conditions['machine']['gpu']}, {conditions['dtype']}, target and draft "
        f"model of {billions[0]} billion parameters (deep), {billions[1]} (shallow); lowest and highest are of a "
        "prompt.\n"
    )


def _speculative(report: dict[str, Any]) -> dict[str, float]:
    return report["parts_of_a_round"]["speculative_sampling"]


def llama_table(_readme: Path, _old: str) -> str:
    """Tabulate plain decoding and calls over several nodes beside llama.cpp's; a sentence where none is measured."""
    if not LLAMA.exists():
        return "Not measured with this version yet: the command above writes it.\n"
    return "\n".join(map(_llama_report, _read(LLAMA)))


def _llama_report(report: dict[str, Any]) -> str:
    """Tabulate what one processor measured."""
    conditions, rows = report["conditions"], []
    for row in report["rows"]:
        ours, theirs = row["ours"], row["llama"]
        calls = [
            " ".join(f"{side['calls'][n] / side['calls']['1']:.2f}" for n in ("2", "5", "9")) for side in (ours, theirs)
        ]
        rates = [f"{1e3 / side['step']:.3g}" for side in (ours, theirs)]
        ratio = f"{theirs['step'] / ours['step']:.2f}"
        rows.append([row["size"], row["file"], row["threads"], f"{row['read_gb_per_s']:.0f}", *rates, ratio, *calls])
    head = ["size", "file", "threads", "GB/s", "tokens/s", "llama.cpp", "ratio", "2, 5, 9 nodes", "llama.cpp"]
    releases = ", ".join(sorted({row["llama_release"] for row in report["rows"]}))
    versions = ", ".join(f"{name} {number}" for name, number in conditions["versions"].items() if name != "playground")
    return (
        f"{conditions['processor']}:\n\n{table(head, rows)}\n"
        f"*Measured*: {conditions['statistic']}; {conditions['num_tokens']} tokens, {conditions['turns']} turns, "
        f"{conditions['processor']} with {conditions['cores']} cores, load {conditions['load']:.1f}, "
        f"{conditions['day']}; {versions}; llama.cpp of node-llama-cpp {releases}, pinned or not, as is better. GB/s "
        "is what one core read in that minute. Nodes are over a call on one. 135M in Q4_1 is the real file; all others "
        "have random weights.\n"
    )


def _made(piece: str) -> str:
    """Return the machine and the day that a piece was made on."""
    return "{machine}, {on}".format(**_read(RENEWED)[piece])


def _between(found: dict[str, float]) -> str:
    return f"{found['ratio']:.2f}, lowest {found['lowest']:.2f}, highest {found['highest']:.2f}"


TABLES: dict[str, Callable[[Path, str], str]] = {
    "laws": laws_table,
    "methods": methods_table,
    "contents": contents_table,
    "rules": lambda readme, old: _contents(readme, readme.parent / "verification", old),
    "lossy_rules": lambda readme, old: _contents(readme, readme.parent / "verification" / "lossy", old),
    "broken": broken_table,
    "presets": presets_table,
    "acceptance": acceptance_table,
    "costs": lambda _readme, _old: as_markdown(list(cost_rows().values()), RATES, 0.0) + "\n",
    "times": lambda _readme, _old: (ASSETS / TIMES[0]).read_text(encoding="utf-8"),  # `compare --markdown` printed it.
    "times_float32": lambda _readme, _old: (ASSETS / TIMES[1]).read_text(encoding="utf-8"),
    "times_smollm2": lambda _readme, _old: (ASSETS / CHAT_TIMES).read_text(encoding="utf-8"),
    "losslessness": losslessness_table,
    "pair": pair_table,
    "block": lambda _readme, _old: positions_table(_read(EVALUATION)["block"]),
    "engine": engine_table,
    "several_drafts": several_drafts_table,
    "lossy_map": lossy_map_table,
    "gpu": gpu_table,
    "llama": llama_table,
    "recommender": lambda _readme, _old: tables(_read(SHOP)),
    "renewed": renewed_table,
    "recordings": recordings_table,
    "untried": lambda _readme, _old: table(
        ["what", "state", "tested instead"], ([each.what, each.state, each.tested] for each in UNTRIED)
    ),
}


def _contents(readme: Path, folder: Path, old: str) -> str:
    """A row for each file and folder of code: known ones in the order they stand in, that of reading, then new ones."""
    there = {path.name: path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"}
    there |= {f"{path.parent.name}/": path.parent for path in sorted(folder.glob("*/__init__.py"))}
    known = [name for name in re.findall(r"^\| \[(\w+(?:\.py|/))\]", old, re.MULTILINE) if name in there]
    names = dict.fromkeys([*known, *there])
    rows = ([f"[{name}]({_link(readme, there[name])})", _first_line(there[name])] for name in names)
    return table(["file", "what it is about"], rows)


def _first_line(path: Path) -> str:
    text = (path / "__init__.py" if path.is_dir() else path).read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def _file(method_id: str) -> Path:
    return METHODS / f"{method_id}.py"


def table(head: list[str], rows: Iterable[list[Any]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    written = "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)
    return re.sub(r"\|  (?=\|)", "| ", written)


def _link(readme: Path, path: Path) -> str:
    return path.relative_to(readme.parent).as_posix()


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def papers_module() -> str:
    """Return the papers that the player cites, by the method's id: a page without a server knows no method's file."""
    papers = ((method_id, method.paper) for method_id, method in methods().items() if "no paper" not in method.paper)
    lines = "".join(_entry(method_id, json.dumps(paper, ensure_ascii=False)) for method_id, paper in papers)
    note = "/** Each method's paper, as its file names it: written by `python -m tests.tables`. */"
    return f"{note}\n\n/** @type {{Record<string, string>}} */\nexport const PAPERS = {{\n{lines}}};\n"


def _entry(name: str, value: str) -> str:
    """One property of an object, as Prettier breaks it."""
    line = f"  {name}: {value},"
    return f"{line}\n" if len(line) <= 120 else f"  {name}:\n    {value},\n"


def is_fresh(path: Path, text: str, command: str = "python -m tests.tables") -> bool:
    """Whether a file holds this text. One that lacks only what is new, as of a new method, is worth a warning.

    Not in continuous integration: there, what is committed is to be whole.
    """
    old = path.read_text(encoding="utf-8")
    if old == text:
        return True
    words = iter(re.findall(r"[^\s,|]+", text))
    only_adds = all(word in words for word in re.findall(r"[^\s,|]+", old))
    if not only_adds or os.environ.get("CI"):
        return False
    warnings.warn(f"{path} lacks new rows. Write them with {command}.", stacklevel=2)
    return True


def write() -> None:
    """Renew every table of every README, and the papers that the player cites."""
    for page in readmes():
        page.write_text(with_tables(page, page.read_text(encoding="utf-8")), encoding="utf-8")
    PAPERS.write_text(papers_module(), encoding="utf-8")


if __name__ == "__main__":
    write()
