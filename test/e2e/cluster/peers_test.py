"""The short form of `make conformance-cluster`: Jobs on Kubernetes' own control plane, about five minutes. Skipped unless
MUSTER_PEERS names the directory of programs that conformance/go/peers/build has built;
its path may be relative to the source tree."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77

if not os.environ.get("MUSTER_PEERS"):
    print("SKIPPED: MUSTER_PEERS does not name a directory of programs that conformance/go/peers/build has built")
    sys.exit(SKIPPED)
os.environ["MUSTER_PEERS"] = str(ROOT / os.environ["MUSTER_PEERS"])
jobs = ROOT / "conformance/cluster/jobs.py"
os.execv(jobs, [jobs, os.environ.get("MUSTER", "build/muster"), "--completions", "1000", "--seconds", "60"])
