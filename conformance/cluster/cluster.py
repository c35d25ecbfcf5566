"""A control plane of Kubernetes (conformance/go/peers/up) and the programs that a test runs beside it."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import history

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = pathlib.Path(os.environ.get("MUSTER_PEERS") or ROOT / "build/conformance/go/peers")
SKIPPED = 77


class Failure(Exception):
    pass


def wait_until(what, holds, seconds):
    """Asks until it holds. The pause is between two questions to another program."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise Failure(f"{what} did not come within {seconds} s")
        time.sleep(0.1)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# JSON in etcd and no compaction.
HISTORY = ["--kube-apiserver=--etcd-compaction-interval=0", "--kube-apiserver=--storage-media-type=application/json"]


@contextlib.contextmanager
def working_directory(keep=None):
    """A directory for one run: `keep`, which must not exist and stays, or one that is removed."""
    if keep:
        keep.mkdir(parents=True)
        yield keep.resolve()
    else:
        with tempfile.TemporaryDirectory() as directory:
            yield pathlib.Path(directory)


class Cluster:
    """With `history`, etcd keeps all of it in a form that can be judged at the end."""

    def __init__(self, directory, nodes=5, flags=(), history=True):
        self.directory = pathlib.Path(directory)
        self._up = subprocess.Popen(
            [ROOT / "conformance/go/peers/up", str(directory), f"--nodes={nodes}", "--keep=true",
             *(HISTORY if history else []), *flags],
            stdout=subprocess.PIPE, text=True)
        line = self._up.stdout.readline().strip()
        if line.startswith("SKIPPED"):
            print(line)
            sys.exit(SKIPPED)
        if not line.startswith("/"):
            raise Failure("the control plane did not start")
        self.kubeconfig = line

    def pid(self, name):
        return int((self.directory / f"{name}.pid").read_text())

    def kill(self, name, number=signal.SIGKILL):
        os.kill(self.pid(name), number)

    def server_port(self):
        for line in pathlib.Path(self.kubeconfig).read_text().splitlines():
            if "server:" in line:
                return urllib.parse.urlparse(line.split('server: "')[1].split('"')[0]).port
        raise Failure("the kubeconfig names no server")

    def ask(self, path, body=None, method=None, body_type="application/json"):
        """The API server's answer to the administrator, as it is. An OSError when it is away or refuses."""
        context = ssl.create_default_context(cafile=self.directory / "ca.crt")
        context.load_cert_chain(self.directory / "admin.crt", self.directory / "admin.key")
        request = urllib.request.Request(f"https://127.0.0.1:{self.server_port()}{path}",
                                         json.dumps(body).encode() if body else None,
                                         {"Content-Type": body_type}, method=method)
        with urllib.request.urlopen(request, context=context, timeout=30) as answer:
            return json.load(answer)

    def record(self, path, *prefixes):
        """The API server is stopped for good. Gives the number of changes."""
        url = (self.directory / "etcd.url").read_text().strip()
        os.kill(self._up.pid, signal.SIGSTOP)  # it would start the API server again
        self.kill("kube-apiserver")
        return history.record(url, path, *([prefixes] if prefixes else []))

    def close(self):
        os.kill(self._up.pid, signal.SIGCONT)
        self._up.terminate()
        self._up.wait()


class Kubectl:
    """The client verbs of the binary under test, as the administrator."""

    def __init__(self, muster, kubeconfig):
        self._command = [muster]
        self._flags = ["--kubeconfig", kubeconfig]

    def run(self, *words, text=None):
        return subprocess.run([*self._command, words[0], *self._flags, *words[1:]], input=text, text=True,
                              capture_output=True, check=False)

    def apply(self, *objects):
        self.apply_text("\n---\n".join(json.dumps(each) for each in objects))

    def apply_text(self, text):
        """Tries again while the API server is away."""
        done = None

        def applied():
            nonlocal done
            done = self.run("apply", "-f", "-", text=text)
            return done.returncode == 0

        try:
            wait_until("the creation of objects", applied, 120)
        except Failure as failure:
            raise Failure(f"{failure}: {done.stderr}") from None

    def get(self, *words):
        """None while the API server is away."""
        done = self.run("get", *words, "-o", "json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def job_is_over(self, name):
        job = self.get("job", name)
        conditions = job["status"].get("conditions", []) if job else []
        return any(each["type"] in ("Complete", "Failed") and each["status"] == "True" for each in conditions)


class Program:
    """A program that a test starts, kills and starts again; its output goes to a file."""

    def __init__(self, log, *command):
        self.command = [str(word) for word in command]
        self._log = log
        self._process = None

    def start(self):
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def send(self, number):
        if self._process and self._process.poll() is None:
            self._process.send_signal(number)

    def stop(self, number=signal.SIGTERM, seconds=30):
        """Gives the exit code."""
        if not self._process:
            return None
        self.send(number)
        try:
            return self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise Failure(f"{self.command[0]} did not end within {seconds} s") from None
        finally:
            self._process = None

    def wait(self, seconds):
        """For its own end; gives the exit code."""
        code = self._process.wait(timeout=seconds)
        self._process = None
        return code

    def has_said(self, text):
        return text in pathlib.Path(self._log).read_text(encoding="utf-8", errors="replace")

    @property
    def pid(self):
        return self._process.pid

    @property
    def runs(self):
        return self._process is not None and self._process.poll() is None


def job_controller_of_kubernetes(kubeconfig, log, *flags):
    """The Job controller of kube-controller-manager, alone in a process. The kubeconfig is the administrator's: without
    accounts of their own, its controllers have no right to write Jobs and pods."""
    return Program(log, PEERS / "kube-controller-manager", "--kubeconfig", kubeconfig,
                   "--controllers=job-controller", "--leader-elect=false", "--secure-port=0", *flags)


def judge(path, one_controller):
    """The simulator's checkers over a recorded history."""
    flags = ["--one-controller"] if one_controller else []
    done = subprocess.run([ROOT / "build/muster-sim", "--judge", path, *flags], text=True, capture_output=True,
                          check=False)
    print("    " + (done.stdout + done.stderr).strip())
    if done.returncode != 0:
        raise Failure("the history is not right")
