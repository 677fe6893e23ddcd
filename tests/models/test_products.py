"""A product is the product, packed or not, with and without a bias and a stream to add to; and what 16 bits hold."""

from types import SimpleNamespace

import pytest
import torch

from playground.models import products
from playground.models.products import (
    LARGEST_POWER,
    SMALL,
    Packed,
    Product,
    float16_and_power,
    is_packed,
    kernels,
    why_not_packed,
)

packs = pytest.mark.skipif(bool(why_not_packed()), reason="no matrix is packed here")


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 3, 40])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("make", [Product, pytest.param(Packed, marks=packs)])
def test_products(make, dtype, rows, bias):
    torch.manual_seed(rows)
    weight, offset = torch.randn(24, 40).to(dtype), torch.randn(24).to(dtype) if bias else None
    given, stream = torch.randn(rows, 80).to(dtype)[:, :40], torch.randn(rows, 24).to(dtype)  # every other piece of 40
    before, expected = stream.clone(), given.double() @ weight.double().T + (0 if offset is None else offset.double())
    close = {"rtol": 0, "atol": 1e-4 if dtype == torch.float32 else 0.25}
    made = make(weight, offset)
    torch.testing.assert_close(made.of(given).double(), expected, **close)
    torch.testing.assert_close(made.added(stream, given).double(), expected + stream.double(), **close)
    assert torch.equal(stream, before)


@packs
def test_what_is_packed(monkeypatch):
    """On a processor: bfloat16, and float32 of a small model."""
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True)
    cpu = torch.device("cpu")
    assert is_packed(cpu, torch.bfloat16, 10**10) and is_packed(cpu, torch.float32, SMALL)
    assert not is_packed(cpu, torch.float32, SMALL + 1) and not is_packed(cpu, torch.float16, 1)
    assert not is_packed(torch.device("cuda"), torch.bfloat16, 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda patch: patch.setattr(torch.ops, "mkldnn", SimpleNamespace()), "no attribute '_linear_pointwise'"),
        (lambda patch: patch.setattr(Packed, "of", Product.added), "missing 1 required positional argument"),
        (lambda patch: patch.setattr(Packed, "of", lambda self, rows: 2 * rows), "oneDNN computes something else"),
        (lambda patch: patch.setattr(products.platform, "machine", lambda: "arm64"), "this processor is not an x86"),
    ],
)
def test_an_operation_that_is_gone_or_computes_something_else_is_not_used_and_that_is_said(change, reason, monkeypatch):
    why_not_packed.cache_clear()
    change(monkeypatch)
    try:
        assert reason in kernels() and kernels().startswith("packed weights: none (")
        assert not is_packed(torch.device("cpu"), torch.float32, 1)
    finally:
        monkeypatch.undo()
        why_not_packed.cache_clear()


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e5])
def test_sixteen_bits_hold_what_was_saved_in_them(size):
    """Weights as bfloat16 holds them, many smaller than float16 can tell apart by itself."""
    torch.manual_seed(0)
    spread = torch.randn(48, 40) * 2.0 ** -torch.randint(0, 16, (48, 40)).float()
    weight = (spread * size).bfloat16().float()
    halves, power = float16_and_power(weight)
    assert torch.equal(halves.float() * 2.0**power, weight) and halves.abs().max() < 2.0**LARGEST_POWER


def test_what_does_not_fit_into_16_bits_is_refused():
    assert not float16_and_power(torch.zeros(16, 8))[0].any()
    for weight in (torch.tensor([[1 + 2.0**-20]]), torch.tensor([[1.0, 2.0**-40]]), torch.tensor([[float("nan")]])):
        with pytest.raises(ValueError, match="more than 16 bits"):
            float16_and_power(weight)
