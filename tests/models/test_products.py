"""A packed product is the product, with and without a bias and a stream to add to."""

import pytest
import torch

from playground.models import kernels, products
from playground.models.products import MOST_HALVED, is_packed, multiplies_halves, products_for

needs_halves = pytest.mark.skipif(not multiplies_halves(), reason="this processor or torch has no such product")


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 2, 3, 40])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("num_parameters", [1, products.SMALL + 1])
@pytest.mark.parametrize("few", [0, 2])
def test_products(monkeypatch, dtype, rows, bias, num_parameters, few):
    monkeypatch.setattr(products, "_rows_faster_unpacked", lambda _: few)
    torch.manual_seed(rows)
    weight, offset = torch.randn(24, 40).to(dtype), torch.randn(24).to(dtype) if bias else None
    given, stream = torch.randn(rows, 80).to(dtype)[:, :40], torch.randn(rows, 24).to(dtype)  # every other piece of 40
    before, expected = stream.clone(), given.double() @ weight.double().T + (0 if offset is None else offset.double())
    close = {"rtol": 0, "atol": 1e-4 if dtype == torch.float32 else 0.25}
    made = products_for(weight, num_parameters, halved=False)(weight, offset)
    torch.testing.assert_close(made.of(given).double(), expected, **close)
    torch.testing.assert_close(made.added(stream, given).double(), expected + stream.double(), **close)
    assert torch.equal(stream, before)


@pytest.mark.parametrize(("of_intel", "few"), [(True, products.FEW_OF_INTEL), (False, 0)])
def test_how_few_rows_stay_unpacked_is_the_same_in_every_process(monkeypatch, of_intel, few):
    """It follows from the processor and from nothing that a busy machine could change."""
    monkeypatch.setattr(products, "_is_of_intel", lambda: of_intel)
    decide = products._rows_faster_unpacked.__wrapped__  # past what was decided before
    assert decide(torch.float32) == few and decide(torch.bfloat16) == 0


def test_what_is_packed(monkeypatch):
    """On a processor: bfloat16, and float32 of a small model."""
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True)
    monkeypatch.setattr(products, "packed_kernel", lambda: kernels.Kernel("one"))
    cpu = torch.device("cpu")
    assert is_packed(cpu, torch.bfloat16, 10**10) and is_packed(cpu, torch.float32, products.SMALL)
    assert not is_packed(cpu, torch.float32, products.SMALL + 1) and not is_packed(cpu, torch.float16, 1)
    assert not is_packed(torch.device("cuda"), torch.bfloat16, 1)
    monkeypatch.setattr(products, "packed_kernel", kernels.Kernel)
    assert not is_packed(cpu, torch.bfloat16, 1)


def halves(weight, bias=None):
    return products_for(weight, 1, halved=True)(weight, bias)


def sixteen_bits(rows, columns, *, size=1.0):
    """Weights as bfloat16 holds them; many are smaller than float16 can tell apart."""
    spread = torch.randn(rows, columns) * 2.0 ** -torch.randint(0, 16, (rows, columns)).float()
    return (spread * size).bfloat16().float()


@needs_halves
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e5])
@pytest.mark.parametrize("rows", [1, 5, MOST_HALVED, MOST_HALVED + 1])
@pytest.mark.parametrize("threads", [1, 2])
def test_halved_products_are_those_of_float32(rows, size, bias, threads):
    """Within the rounding of 40 additions in float32; in 16 bits throughout, it would be off by a thousand times."""
    torch.manual_seed(rows)
    weight, offset = sixteen_bits(24, 40, size=size), torch.randn(24) * size if bias else None
    given, stream = torch.randn(rows, 80)[:, :40], torch.randn(rows, 24) * size
    before, expected = stream.clone(), given.double() @ weight.double().T + (0 if offset is None else offset.double())
    made, threads_before = halves(weight, offset), torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        close = {"rtol": 0, "atol": 40 * 2.0**-24 * 10 * size}
        torch.testing.assert_close(made.of(given).double(), expected, **close)
        torch.testing.assert_close(made.added(stream, given).double(), expected + stream.double(), **close)
    finally:
        torch.set_num_threads(threads_before)
    assert torch.equal(stream, before)


@needs_halves
def test_a_row_of_a_halved_product_depends_on_the_others_in_its_last_bits_at_most():
    """With vectors of 512 bits not at all; with shorter ones the order of 40 additions depends on the group of rows."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    made, given = halves(sixteen_bits(48, 40)), torch.randn(MOST_HALVED, 40)
    whole, bound = made.of(given), 0 if torch.backends.cpu.get_cpu_capability() == "AVX512" else 40 * 2.0**-24 * 10
    for first, end in ((0, 1), (0, 5), (7, 13), (20, 52)):
        torch.testing.assert_close(made.of(given[first:end]), whole[first:end], rtol=0, atol=bound)


@needs_halves
def test_what_does_not_fit_into_16_bits_is_not_halved():
    assert halves(torch.zeros(16, 8)).of(torch.ones(1, 8)).abs().max() == 0
    for weight in (torch.tensor([[1 + 2.0**-20]]), torch.tensor([[1.0, 2.0**-40]]), torch.tensor([[float("nan")]])):
        with pytest.raises(ValueError, match="more than 16 bits"):
            halves(weight)
