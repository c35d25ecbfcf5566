# What every story's shell knows.

# until_says FILE TEXT: waits until the file contains the text; says so when it never does.
until_says() {
    local left=200
    until grep -qF -- "$2" "$1" 2>/dev/null; do
        ((left-- > 0)) || { echo "$1 never said: $2"; cat "$1"; return 1; }
        sleep 0.05
    done
}

# names: the first column of a table without its heading.
names() { awk 'NR > 1 { print $1 }'; }

# as_user TOKEN kubectl-arguments...: kubectl as the user of the token.
as_user() {
    local token=$1
    shift
    kubectl --kubeconfig=/dev/null --server="$SERVER" --insecure-skip-tls-verify --token="$token" "$@"
}

# stop PID...: ends what runs in the background.
stop() {
    kill "$@"
    wait "$@" 2>/dev/null
    true
}

# as_anonymous PATH: sends a request without credentials, and prints the code and the message or the body.
as_anonymous() {
    python3 - "$SERVER$1" <<'END'
import json, ssl, sys, urllib.error, urllib.request
try:
    answer = urllib.request.urlopen(sys.argv[1], context=ssl._create_unverified_context(), timeout=10)
except urllib.error.HTTPError as refusal:
    answer = refusal
body = answer.read().decode()
print(answer.status, json.loads(body)["message"] if answer.status >= 400 else body.split("\n")[0])
END
}
