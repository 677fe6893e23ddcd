"""A packed product is the product, with and without a bias and a stream to add to."""

from types import SimpleNamespace

import pytest
import torch

from playground.models import products
from playground.models.products import is_packed, product


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 2, 3, 40])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("few", [0, 2])
def test_products(monkeypatch, dtype, rows, bias, wanted, few):
    monkeypatch.setattr(products, "_rows_faster_unpacked", lambda _: few)
    packed = wanted and is_packed(torch.device("cpu"), dtype, 1)
    torch.manual_seed(rows)
    weight, offset = torch.randn(24, 40).to(dtype), torch.randn(24).to(dtype) if bias else None
    given, stream = torch.randn(rows, 80).to(dtype)[:, :40], torch.randn(rows, 24).to(dtype)  # every other piece of 40
    before, expected = stream.clone(), given.double() @ weight.double().T + (0 if offset is None else offset.double())
    close = {"rtol": 0, "atol": 1e-4 if dtype == torch.float32 else 0.25}
    made = product(weight, offset, packed=packed)
    torch.testing.assert_close(made.of(given).double(), expected, **close)
    torch.testing.assert_close(made.added(stream, given).double(), expected + stream.double(), **close)
    assert torch.equal(stream, before)


@pytest.mark.parametrize(("slower_from", "few"), [(1, 0), (3, 2), (9, products.MOST_FEW)])
def test_rows_stay_unpacked_up_to_the_first_number_that_is_slower_so(monkeypatch, slower_from, few):
    """On a clock that only products with a matrix as it is move: back as long as they are faster, then on."""
    clock = SimpleNamespace(now=0.0, perf_counter=lambda: clock.now)

    def linear(rows, _):
        clock.now += 1 if len(rows) >= slower_from else -1

    monkeypatch.setattr(products, "time", clock)
    monkeypatch.setattr(products, "linear", linear)
    measure = products._rows_faster_unpacked.__wrapped__  # past what was measured before
    assert measure(torch.float32) == few and measure(torch.bfloat16) == 0


def test_what_is_packed(monkeypatch):
    """On a processor: bfloat16, and float32 of a small model."""
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True)
    monkeypatch.setattr(products.platform, "machine", lambda: "x86_64")
    cpu = torch.device("cpu")
    assert is_packed(cpu, torch.bfloat16, 10**10) and is_packed(cpu, torch.float32, products.SMALL)
    assert not is_packed(cpu, torch.float32, products.SMALL + 1) and not is_packed(cpu, torch.float16, 1)
    assert not is_packed(torch.device("cuda"), torch.bfloat16, 1)
    monkeypatch.setattr(products.platform, "machine", lambda: "arm64")
    assert not is_packed(cpu, torch.bfloat16, 1)
