"""Energy from counters: the GPU's through NVML, the processor's through the RAPL files. Blank where there is none."""
