"""The container image: reproducible, complete, and read and run by other programs. MUSTER names the binary.

skopeo, umoci and containerd come with `scripts/setup image`; a part whose program is missing is skipped, and says so.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
MUSTER = os.environ["MUSTER"]
HINT = "run scripts/setup image"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def needs(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    return unittest.skipIf(missing, f"there is no {', '.join(missing)}: {HINT}")


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.archive = cls.folder / "image.oci.tar"
        cls.said = run(ROOT / "scripts/image", "--muster", MUSTER, "--output", cls.archive)
        cls.digest = cls.said.split()[-1]
        cls.version = run(MUSTER, "--version").split()[-1]
        cls.layout = cls.folder / "layout"
        with tarfile.open(cls.archive) as archive:
            archive.extractall(cls.layout)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def blob(self, part):
        data = (self.layout / "blobs" / part["digest"].replace(":", "/")).read_bytes()
        self.assertEqual("sha256:" + hashlib.sha256(data).hexdigest(), part["digest"])
        self.assertEqual(len(data), part["size"])
        return data

    def manifest(self):
        index = json.loads((self.layout / "index.json").read_text())
        self.assertEqual([one["digest"] for one in index["manifests"]], [self.digest])
        return json.loads(self.blob(index["manifests"][0]))

    def test_a_second_build_gives_the_same_bytes(self):
        again = self.folder / "again.oci.tar"
        said = run(ROOT / "scripts/image", "--muster", MUSTER, "--output", again)
        self.assertEqual(said.split()[-1], self.digest)
        self.assertEqual(again.read_bytes(), self.archive.read_bytes())

    def test_the_time_can_be_given(self):
        earlier = self.folder / "earlier.oci.tar"
        said = run(ROOT / "scripts/image", "--muster", MUSTER, "--output", earlier,
                   env={**os.environ, "SOURCE_DATE_EPOCH": "86400"})
        self.assertNotEqual(said.split()[-1], self.digest)
        with tarfile.open(earlier) as archive:
            self.assertEqual({entry.mtime for entry in archive}, {86400})

    def test_it_runs_as_a_user_without_rights(self):
        config = json.loads(self.blob(self.manifest()["config"]))
        self.assertEqual((config["os"], config["architecture"]), ("linux", "amd64"))
        self.assertEqual(config["config"]["User"], "65532:65532")
        self.assertEqual(config["config"]["Entrypoint"], ["/usr/bin/muster"])

    def test_it_has_what_the_binary_needs_and_no_shell(self):
        layer = self.folder / "layer.tar.gz"
        layer.write_bytes(self.blob(self.manifest()["layers"][0]))
        with tarfile.open(layer) as archive:
            entries = {entry.name: entry for entry in archive}
        self.assertEqual(list(entries), sorted(entries))
        self.assertEqual({(entry.uid, entry.gid) for entry in entries.values()}, {(0, 0)})
        for name in ("usr/bin/muster", "lib64/ld-linux-x86-64.so.2", "etc/ssl/certs/ca-certificates.crt",
                     "usr/share/zoneinfo/Europe/Berlin", "etc/passwd"):
            self.assertIn(name, entries)
        self.assertFalse([name for name in entries if name.endswith(("/sh", "/bash", "/dash"))])

    def test_the_packages_of_the_libraries_are_listed(self):
        document = json.loads((self.folder / "image.spdx.json").read_text())
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        names = {package["name"] for package in document["packages"]}
        self.assertLessEqual({"muster", "libc6", "libssl3", "libstdc++6", "tzdata", "ca-certificates"}, names)
        self.assertTrue(all(package["versionInfo"] for package in document["packages"]))
        related = {relation["relatedSpdxElement"] for relation in document["relationships"]}
        self.assertEqual(related, {package["SPDXID"] for package in document["packages"]})

    @needs("skopeo")
    def test_skopeo_reads_and_copies_it(self):
        shown = json.loads(run("skopeo", "inspect", f"oci-archive:{self.archive}"))
        self.assertEqual(shown["Digest"], self.digest)
        run("skopeo", "--insecure-policy", "copy", f"oci-archive:{self.archive}", f"oci:{self.folder}/copy:one")

    @needs("umoci")
    @unittest.skipIf(os.geteuid() != 0, "only root can enter what umoci unpacks")
    def test_umoci_unpacks_it_and_the_binary_runs_on_its_own_libraries(self):
        self.assertEqual(run("umoci", "ls", "--layout", self.layout).split(), [self.version])
        bundle = self.folder / "bundle"
        run("umoci", "unpack", "--image", f"{self.layout}:{self.version}", bundle)
        self.assertEqual(run("chroot", bundle / "rootfs", "/usr/bin/muster", "--version"), f"muster {self.version}\n")

    @needs("containerd", "ctr", "runc")
    @unittest.skipIf(os.geteuid() != 0, "containerd needs root")
    def test_containerd_runs_it(self):
        home = self.folder / "containerd"
        home.mkdir()
        socket = home / "containerd.sock"
        (home / "config.toml").write_text(
            f'version = 2\nroot = "{home}/root"\nstate = "{home}/state"\n'
            'disabled_plugins = ["io.containerd.grpc.v1.cri"]\n'
            f'[grpc]\naddress = "{socket}"\n[ttrpc]\naddress = "{socket}.ttrpc"\n')
        with open(home / "log", "wb") as log:
            daemon = subprocess.Popen(["containerd", "--config", home / "config.toml"], stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 60
            while not socket.exists() and daemon.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            if daemon.poll() is not None:
                self.skipTest(f"containerd does not run on this machine: {(home / 'log').read_text()[-300:]}")
            client = ("ctr", "--address", socket)
            run(*client, "images", "import", "--snapshotter", "native", self.archive)
            said = run(*client, "run", "--snapshotter", "native", "--rm",
                       f"docker.io/library/muster-controllers:{self.version}", "check", "/usr/bin/muster", "--version",
                       timeout=120)
            self.assertEqual(said, f"muster {self.version}\n")
        finally:
            daemon.terminate()
            daemon.wait()


if __name__ == "__main__":
    unittest.main(verbosity=2)
