"""A packed product is the product, with and without a bias and a stream to add to."""

import pytest
import torch

from playground.models import products
from playground.models.products import product


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 5, 40])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_products(dtype, rows, bias):
    torch.manual_seed(rows)
    weight, offset = torch.randn(24, 40).to(dtype), torch.randn(24).to(dtype) if bias else None
    given, stream = torch.randn(rows, 80).to(dtype)[:, :40], torch.randn(rows, 24).to(dtype)  # every other piece of 40
    expected = given.double() @ weight.double().T + (offset.double() if offset is not None else 0)
    close = {"rtol": 0, "atol": 1e-4 if dtype == torch.float32 else 0.25}
    made = product(weight, offset)
    torch.testing.assert_close(made.of(given).double(), expected, **close)
    torch.testing.assert_close(made.added(stream, given).double(), expected + stream.double(), **close)


def test_only_bfloat16_on_a_processor_is_packed(monkeypatch):
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True)
    monkeypatch.setattr(products.platform, "machine", lambda: "x86_64")
    assert products._is_better_packed(torch.zeros(2, 2, dtype=torch.bfloat16))
    assert not products._is_better_packed(torch.zeros(2, 2))
    assert not products._is_better_packed(torch.zeros(2, 2, dtype=torch.bfloat16, device="meta"))
    monkeypatch.setattr(products.platform, "machine", lambda: "arm64")
    assert not products._is_better_packed(torch.zeros(2, 2, dtype=torch.bfloat16))
