"""For every test: one thread, as the app runs. Two would spin against whatever else the machine does."""

import torch

torch.set_num_threads(1)
