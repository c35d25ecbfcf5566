"""Sets the wall clock of a server under test, through the library that shifted_clock.cc says it is."""

import struct
import time


class ShiftedTime:
    """`library` is the built shifted_clock, `path` the file that carries the shift."""

    def __init__(self, library, path):
        self.library, self.path = library, path
        self.shift(0)

    def environment(self):
        """For the server: as long as it lives it sees what is set here."""
        return {"LD_PRELOAD": str(self.library), "SHIFTED_CLOCK": str(self.path)}

    def shift(self, seconds):
        """From now on the server's time of day is the true one plus so much."""
        with open(self.path, "r+b" if self.path.exists() else "wb") as file:
            file.write(struct.pack("<q", int(seconds * 1e9)))

    def set(self, seconds_since_epoch):
        self.shift(seconds_since_epoch - time.time())
