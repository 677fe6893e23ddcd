"""The version of the playground, as `--version` and every trace give it."""

__version__ = "0.1.0"
