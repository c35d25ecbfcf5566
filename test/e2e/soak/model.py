"""What the server has told its clients, and so what it must still know after it was killed. No I/O.

A write that was sent and not answered may have happened or not; one that was answered has. An event of a watch tells
that a write happened as an answer does. Revisions only grow."""


class Broken(Exception):
    """A promise of the server's is broken."""


class Known:
    """What an object may be: `values` are the possible ones, None for absent; `revision` is the last that was told.
    `deletions` were answered, which tells no revision, and a watch has not told of them yet."""

    def __init__(self):
        self.values, self.revision, self.deletions = {None}, 0, 0


class Model:
    def __init__(self):
        self.objects = {}
        self.revision = 0  # the highest that anybody was told
        self.acknowledged = 0

    def of(self, name):
        return self.objects.setdefault(name, Known())

    def begin(self, name, value):
        """A write is about to be sent. Gives what `acknowledge` wants to know."""
        self.of(name).values.add(value)
        return self.revision

    def acknowledge(self, name, value, revision, revision_before):
        """It was answered. A deletion tells no revision: None."""
        known = self.of(name)
        known.values = {value}
        self.acknowledged += 1
        if revision is None:
            known.deletions += 1
            return
        if revision <= revision_before:
            raise Broken(f"{name} was written at revision {revision}, after {revision_before} was told")
        known.revision = max(known.revision, revision)
        self.revision = max(self.revision, revision)

    def refuse(self, name, value):
        """It was answered that it did not happen."""
        self.of(name).values.discard(value)

    def observe(self, name, value, revision):
        """A watch told of it. What is not newer than what is known is late."""
        known = self.of(name)
        self.revision = max(self.revision, revision)
        if revision <= known.revision:
            return
        if value is None and known.deletions > 0:  # it may have been made again meanwhile
            known.deletions -= 1
            known.revision = revision
            return
        if value not in known.values:
            raise Broken(f"a watch tells that {name} is {value} at {revision}; it may be {known.values}")
        known.values, known.revision = {value}, revision

    def check(self, listed, revision):
        """`listed` is {name: (value, revision)} of all that there is, after a restart and before any other write."""
        if revision < self.revision:
            raise Broken(f"the list is of revision {revision}, and {self.revision} was told before")
        for name in listed.keys() - self.objects.keys():
            raise Broken(f"{name} was never written")
        for name, known in self.objects.items():
            value, at = listed.get(name, (None, None))
            if value not in known.values:
                raise Broken(f"{name} is {value} at {at}; told was {known.values} at {known.revision}")
            if at is not None and at < known.revision:
                raise Broken(f"{name} is of revision {at}, and {known.revision} was told before")
            known.values = {value}
            known.revision = max(known.revision, at or 0)
        for name in [it for it, known in self.objects.items() if known.values == {None}]:
            del self.objects[name]
        self.revision = max(self.revision, revision)


class Starts:
    """The lines that containers wrote when they started: "UID/container/attempt job index"."""

    def __init__(self):
        self.seen = set()
        self.of_index = {}  # (job, index): how many runs

    def add(self, line):
        if line in self.seen:
            raise Broken(f"started twice: {line}")
        self.seen.add(line)
        run, job, index = line.split(" ")
        self.of_index[job, index] = self.of_index.get((job, index), 0) + 1

    def check_job(self, job, indexes, attempts):
        for index in indexes:
            count = self.of_index.get((job, index), 0)
            if count != attempts:
                raise Broken(f"{job} has ended, and index {index or 'none'} was started {count} times, not {attempts}")
