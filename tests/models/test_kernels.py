"""On the day that torch takes one of its private or deprecated operations away, runs go on and write the same."""

from functools import cache
from types import SimpleNamespace

import pytest
import torch

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.models import kernels, loading
from playground.models.bundled import BUNDLED
from playground.models.kernels import half_kernel, packed_kernel
from playground.models.language_model import LanguageModel
from playground.models.passes import compiled_pass
from playground.models.products import multiplies_halves
from playground.models.proof import try_fast_pass
from playground.models.sources.hub import find_source
from playground.models.sources.placement import find_placement
from playground.models.vocabulary import TokenizerVocabulary

on_x86 = pytest.mark.skipif(
    half_kernel().name != "fbgemm" or packed_kernel().name != "oneDNN", reason="this torch has taken some away already"
)


@pytest.fixture
def without(monkeypatch):
    """Take operations away, by their names in torch; what was decided before is decided anew."""

    def take(*names):
        for name in names:
            if name.startswith("ops."):
                monkeypatch.setattr(torch.ops, name.removeprefix("ops."), SimpleNamespace())
            else:
                monkeypatch.delattr(torch, name)

    def forget():
        half_kernel.cache_clear()
        packed_kernel.cache_clear()

    forget()
    monkeypatch.setattr(compiled_pass, "compiled_kernel", lambda: kernels.CompiledKernel("not asked for"))
    yield take
    monkeypatch.undo()
    forget()


FOLDERS = [str(BUNDLED / role) for role in ("target", "draft")]


@cache
def bundled_pair():
    """A copy that no other test has; its passes are made anew for every run."""
    pair = loading.load_beside.__wrapped__(*FOLDERS)
    return [
        LanguageModel(each.model, each.vocabulary, name=each.name, vocab_size=each.vocab_size)
        for each in (pair.target, pair.draft)
    ]


def by_default(models):
    """With the passes that loading chooses where nobody asks for a number format."""
    sources = [find_source(folder) for folder in FOLDERS]
    return loading._with_fastest_pass(sources, models, loading._placements(sources, find_placement("cpu")))


def in_32_bits(models):
    return [try_fast_pass(model) for model in models]


def short_run(passes):
    torch.set_num_threads(1)
    target, draft = passes(bundled_pair())
    return run(Request(make_method("rsd_s"), target, "Tom had", draft, seed=5, max_new_tokens=24))


def tokens_of(trace):
    return [token for each in trace.committed for token in each.tokens]


@pytest.fixture(scope="module")
def expected():
    return tokens_of(short_run(list))  # transformers' own pass, which needs none of them


FBGEMM = "weights in 16 bits: fbgemm"
QUANTIZED = "weights in 16 bits: quantized (module 'torch' has no attribute 'fbgemm_"
NEITHER = "weights in 16 bits: none (module 'torch' has no attribute 'fbgemm_"


@on_x86
@pytest.mark.parametrize("passes", [by_default, in_32_bits])
@pytest.mark.parametrize(
    ("names", "bits", "line"),
    [
        ([], 16, f"{FBGEMM}; packed weights: oneDNN"),
        (["fbgemm_pack_gemm_matrix_fp16"], 16, QUANTIZED),
        (["fbgemm_linear_fp16_weight_fp32_activation"], 16, QUANTIZED),
        (["fbgemm_pack_gemm_matrix_fp16", "ops.quantized"], None, NEITHER),
        (["ops.mkldnn"], 16, f"{FBGEMM}; packed weights: none ("),
        (["fbgemm_pack_gemm_matrix_fp16", "ops.quantized", "ops.mkldnn"], None, NEITHER),
    ],
)
def test_without_an_operation_the_tokens_are_the_same_and_the_trace_says_so(
    without, expected, names, bits, line, passes
):
    """Products by other operations differ in their last digits, so 24 tokens of one seed, not any number of them."""
    without(*names)
    trace = short_run(passes)
    assert tokens_of(trace) == expected
    facts = {model.get("bits") for model in (trace.started.target, trace.started.draft)}
    assert facts == {bits if passes is by_default else None}
    assert trace.started.target["forward_pass"] == "lean"
    said = trace.started.machine["products"]
    assert said.startswith(line) and ("packed weights: none (" in said) == ("ops.mkldnn" in names), said
    assert multiplies_halves() == (bits == 16)


@on_x86
def test_the_half_products_are_the_same_to_the_last_bit():
    torch.manual_seed(0)
    matrix, rows = torch.randn(48, 40).half().float(), torch.randn(5, 40)
    one, other = (make() for make in (kernels._fbgemm, kernels._quantized))
    assert torch.equal(*(kernel.multiply(rows, kernel.pack(matrix), None) for kernel in (one, other)))


@on_x86
def test_an_operation_that_computes_something_else_is_not_used(without, monkeypatch):
    """Rows in 16 bits, say."""
    right = torch.fbgemm_linear_fp16_weight_fp32_activation
    monkeypatch.setattr(
        torch,
        "fbgemm_linear_fp16_weight_fp32_activation",
        lambda rows, packed, bias: right(rows.half().float(), packed, bias),
    )
    assert str(half_kernel()) == "quantized (fbgemm computes something else)"


@on_x86
def test_a_processor_of_another_kind_packs_nothing(without, monkeypatch):
    monkeypatch.setattr(kernels.platform, "machine", lambda: "arm64")
    assert str(packed_kernel()) == "none (this processor is not an x86)"


def test_what_torch_does_not_say_of_bfloat16_counts_as_no(without):
    without("ops.mkldnn")
    assert not kernels.packs_bfloat16()


def test_a_family_that_changes_what_its_library_decodes_is_decoded_by_itself():
    """By what it says of its tokens: no private name of transformers tells one wrapper from another."""
    tokenizer = bundled_pair()[0].vocabulary.tokenizer
    tokens = tokenizer.encode("Tom had", add_special_tokens=False)

    class Shouting(type(tokenizer)):
        def _decode(self, *arguments, **named):
            return super()._decode(*arguments, **named).upper()

    plain = TokenizerVocabulary(tokenizer).decode(tokens)
    loud = TokenizerVocabulary(Shouting(tokenizer_object=tokenizer.backend_tokenizer)).decode(tokens)
    assert (plain, loud) == ("Tom had", "TOM HAD")
