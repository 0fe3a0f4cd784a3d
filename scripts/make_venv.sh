#!/usr/bin/env bash
# Makes a Python environment with exactly the packages of a requirements file:
#
#   scripts/make_venv.sh DIR REQUIREMENTS
#
# Does nothing when DIR already holds them. PYTHON names the interpreter (default: python3.11, else python3).
set -euo pipefail

fail() {
    echo "make_venv: $*" >&2
    exit 1
}

[ $# -eq 2 ] || fail "usage: make_venv.sh DIR REQUIREMENTS"
dir=$1
requirements=$2
[ -f "$requirements" ] || fail "there is no requirements file $requirements"

python=${PYTHON:-}
if [ -z "$python" ]; then
    for candidate in python3.11 python3; do
        # A pyenv shim can exist for a version that is not selected, so run it instead of looking for it.
        if "$candidate" -c '' 2>/dev/null; then
            python=$candidate
            break
        fi
    done
fi
[ -n "$python" ] || fail "no python3 found: install Python 3.11 or newer, or name it with PYTHON=..."
"$python" -c '' 2>/dev/null || fail "$python does not run: PYTHON=... must name a Python 3.11 or newer"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$python is $("$python" --version 2>&1): the pinned packages need Python 3.11 or newer (PYTHON=... names another)"

# The stamp is written last, so a half-made environment is made anew.
stamp="$dir/.requirements"
wanted="$("$python" --version 2>&1)
$(cat "$requirements")"
if [ -x "$dir/bin/python" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    echo "make_venv: $dir is up to date"
    exit 0
fi

"$python" -m venv --clear "$dir" ||
    fail "$python cannot make an environment with pip in $dir (on Debian: apt-get install python3-venv)"
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements" ||
    fail "pip could not install what $requirements pins; its message above says which package"
printf '%s\n' "$wanted" >"$stamp"
echo "make_venv: $dir made with $("$dir/bin/python" --version)"
