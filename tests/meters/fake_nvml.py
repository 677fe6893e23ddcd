"""A stand-in for the NVML module: one board whose counter and power follow a clock that the test moves."""


class NVMLError(Exception):
    pass


class FakeNvml:
    NVMLError = NVMLError

    def __init__(self, *, name="Test GPU", watts=100.0, counter=True, clock=None):
        self.name, self.watts, self.counter = name, watts, counter
        self.clock = clock or (lambda: 0.0)
        self.offset_mj = 5_000_000  # since the driver was loaded
        self.asked = []

    def nvmlInit(self):
        pass

    def nvmlDeviceGetHandleByIndex(self, index):
        if index != 0:
            raise NVMLError("Invalid Argument")
        self.asked.append(index)
        return "board"

    def nvmlDeviceGetHandleByUUID(self, uuid):
        self.asked.append(uuid)
        return "board"

    def nvmlDeviceGetName(self, handle):
        return self.name

    def nvmlDeviceGetTotalEnergyConsumption(self, handle):
        if not self.counter:
            raise NVMLError("Not Supported")
        return self.offset_mj + int(self.clock() * self.watts * 1000)

    def nvmlDeviceGetPowerUsage(self, handle):
        return int(self.watts * 1000)
