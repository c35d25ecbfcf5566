# Read by the run scripts of the suites in Go: what they need of the machine, or exit code 77.
place=$PWD/build/conformance/go
jobs=${JOBS:-$(nproc)}

skip() {
    echo "SKIPPED: $1"
    exit 77
}

# modules FOLDER: fetches what the go.mod there names. What is in the module cache is not asked for again.
modules() {
    local log=$place/modules.log
    mkdir -p "$place"
    (cd "$1" && go mod download) >"$log" 2>&1 ||
        skip "the modules of $1 cannot be fetched: $(tail -1 "$log")"
}

# tests PACKAGE: builds the tests of that package of conformance/go into $place/PACKAGE.test.
tests() {
    (cd conformance/go && go test -p "$jobs" -c -o "$place/$1.test" "./$1")
}

command -v go >/dev/null || skip "there is no Go on this machine"
