"""A pretend accelerator: tensors that say another device, hold the processor's memory, and obey CUDA's rules.

It refuses operations over two devices, and counts read-backs, for which the host waits, and uploads. Waits for the
clock (`torch.cuda.synchronize`) are not counted: they are there to measure, and nothing is read by them.
"""

import copy
from contextlib import ExitStack
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode

from playground.models.language_model import LanguageModel

PRETEND = torch.device("cuda", 0)
aten = torch.ops.aten

# operations whose result has a size, or is a number, that only the device knows
WAITING = {
    aten._local_scalar_dense.default, aten.equal.default, aten.nonzero.default, aten.masked_select.default,
    aten.repeat_interleave.Tensor, aten.is_nonzero.default,
}  # fmt: skip
INDEXING = {
    aten.index.Tensor, aten.index_put.default, aten.index_put_.default, aten._unsafe_index.Tensor,
    aten._index_put_impl_.default,
}  # fmt: skip


class Counts:
    """Read-backs and uploads since the last reset."""

    def __init__(self):
        self.waits = self.uploads = 0


COUNTS = Counts()


class OnDevice(torch.Tensor):
    """A tensor of the pretend device, around one of the processor."""

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.size(), strides=inner.stride(), storage_offset=inner.storage_offset(), dtype=inner.dtype
        )

    def __init__(self, inner):
        self.inner = inner

    __torch_function__ = torch._C._disabled_torch_function_impl

    @property
    def device(self):
        return PRETEND

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        kwargs = {name: each for name, each in (kwargs or {}).items() if name != "device"}
        tensors = list(_tensors([*args, *kwargs.values()]))
        _refuse_mixture(function, tensors, args)
        COUNTS.waits += function in WAITING
        if function in INDEXING:
            indices = [each for each in args[1] if each is not None]
            COUNTS.uploads += sum(not isinstance(each, OnDevice) for each in indices)
            COUNTS.waits += any(each.dtype in (torch.bool, torch.uint8) for each in indices)
        wrappers = {id(each.inner): each for each in tensors if isinstance(each, OnDevice)}
        answer = function(*map(_inner, args), **{name: _inner(each) for name, each in kwargs.items()})
        return _wrapped(answer, wrappers)

    def _read(self):
        COUNTS.waits += 1
        return self.inner.clone()

    def cpu(self):
        return self._read()

    def tolist(self):
        return self._read().tolist()

    def item(self):
        return self._read().item()

    def __int__(self):
        return int(self._read())

    def __float__(self):
        return float(self._read())

    def __bool__(self):
        return bool(self._read())

    def numpy(self, *, force=False):
        if not force:
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.")
        return self._read().numpy()

    def __array__(self, *_):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.")

    def data_ptr(self):
        return self.inner.data_ptr()

    def to(self, *args, **kwargs):
        device, dtype = _asked(args, kwargs)
        moved = self._read() if device is not None and device.type == "cpu" else self
        return moved if dtype is None or dtype == moved.dtype else moved.type(dtype)

    def type(self, dtype):
        return OnDevice(self.inner.to(dtype))


def _inner(each):
    """Memory of the processor in the place of the device's, also in lists."""
    if isinstance(each, OnDevice):
        return each.inner
    return type(each)(map(_inner, each)) if type(each) in (list, tuple) else each


def _wrapped(answer, wrappers):
    """A result on the device; a tensor that was changed in place is the one that it was."""
    if type(answer) is torch.Tensor:
        return wrappers[id(answer)] if id(answer) in wrappers else OnDevice(answer)
    return type(answer)(_wrapped(each, wrappers) for each in answer) if type(answer) in (list, tuple) else answer


def _tensors(values):
    """All tensors among these values and in lists of them."""
    for each in values:
        if isinstance(each, torch.Tensor):
            yield each
        elif type(each) in (list, tuple):
            yield from _tensors(each)


def _asked(args, kwargs):
    """Device and number format that `Tensor.to` is asked for."""
    values = [*args, *kwargs.values()]
    devices = [torch.device(each) for each in values if isinstance(each, str | torch.device)]
    like = [each for each in values if isinstance(each, torch.Tensor)]
    devices += [each.device for each in like]
    formats = [each for each in values if isinstance(each, torch.dtype)] + [each.dtype for each in like]
    return (devices or [None])[0], (formats or [None])[0]


def _refuse_mixture(function, tensors, args):
    """Refuse an operation over two devices, as CUDA does: single numbers and indices may be the host's."""
    if function in (aten.copy_.default, aten._to_copy.default):
        return
    is_index = function in INDEXING
    if is_index:
        tensors = [args[0], *_tensors(args[2:])]
    host = [each for each in tensors if not isinstance(each, OnDevice) and each.ndim]
    if host and (is_index or len(host) < len(tensors)):
        raise RuntimeError(f"Expected all tensors to be on the same device, but found two, in {function}")


class PretendDevice(TorchFunctionMode):
    """While it is entered, tensors can be made on the pretend device, and moved there."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if function is torch.Tensor.to and not isinstance(args[0], OnDevice):
            device, dtype = _asked(args[1:], kwargs)
            if device is not None and device.type == PRETEND.type:
                COUNTS.uploads += 1
                return OnDevice(args[0].to(dtype) if dtype else args[0].clone())
        if _is_pretend(kwargs.get("device")):
            made = function(*args, **{**kwargs, "device": "cpu"})
            COUNTS.uploads += function in (torch.tensor, torch.as_tensor)
            return OnDevice(made)
        if function is torch.Tensor.__getitem__ and torch.is_inference_mode_enabled() and not args[0].is_inference():
            with torch.inference_mode(mode=False), torch.no_grad():  # torch refuses such a view of a wrapper
                return function(*args, **kwargs)
        return function(*args, **kwargs)

    def __enter__(self):
        self._patches = ExitStack()
        self._patches.enter_context(mock.patch.object(torch.cuda, "synchronize"))
        self._patches.enter_context(mock.patch.object(torch.nn.Module, "to", _module_to))
        return super().__enter__()

    def __exit__(self, *error):
        self._patches.close()
        return super().__exit__(*error)


def _is_pretend(device):
    return device is not None and torch.device(device).type == PRETEND.type


def move(module):
    """Put the weights of a module of torch on the pretend device, in place; tied ones stay tied."""
    wrapped = {}

    def wrap(tensor):
        if isinstance(tensor, OnDevice) or isinstance(tensor.data, OnDevice):
            return tensor
        if id(tensor) not in wrapped:
            there = OnDevice(tensor.data)
            is_weight = isinstance(tensor, torch.nn.Parameter)
            wrapped[id(tensor)] = torch.nn.Parameter(there, requires_grad=False) if is_weight else there
        return wrapped[id(tensor)]

    for part in module.modules():
        for held in (part._parameters, part._buffers):
            held.update({name: wrap(tensor) for name, tensor in held.items() if tensor is not None})
    return module


TO = torch.nn.Module.to


def _module_to(module, *args, **kwargs):
    device, dtype = _asked(args, kwargs)
    if not _is_pretend(device):
        return TO(module, *args, **kwargs)
    return move(TO(module, dtype=dtype) if dtype else module)


def on_device(model, make_pass):
    """Copy of a language model on the pretend device.

    Args:
        model: on the processor.
        make_pass: makes the forward pass of a model of transformers.
    """
    module = move(copy.deepcopy(model.model))
    return LanguageModel(
        module, model.vocabulary, name=model.name, vocab_size=model.vocab_size, forward_pass=make_pass(module)
    )
