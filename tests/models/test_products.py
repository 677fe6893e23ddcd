"""A product is the product, with and without a bias and a stream to add to; and what 16 bits hold."""

import pytest
import torch

from playground.models.products import LARGEST_POWER, Product, float16_and_power


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 3, 40])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_products(dtype, rows, bias):
    torch.manual_seed(rows)
    weight, offset = torch.randn(24, 40).to(dtype), torch.randn(24).to(dtype) if bias else None
    given, stream = torch.randn(rows, 80).to(dtype)[:, :40], torch.randn(rows, 24).to(dtype)  # every other piece of 40
    before, expected = stream.clone(), given.double() @ weight.double().T + (0 if offset is None else offset.double())
    close = {"rtol": 0, "atol": 1e-4 if dtype == torch.float32 else 0.25}
    made = Product(weight, offset)
    torch.testing.assert_close(made.of(given).double(), expected, **close)
    torch.testing.assert_close(made.added(stream, given).double(), expected + stream.double(), **close)
    assert torch.equal(stream, before)


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
