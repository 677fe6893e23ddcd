"""Pictures from data: one figure per file, `<name>_data(trace)` and `<name>_figure(data)`."""
