# What scripts/setup.sh needs of the machine: a Python, a compiler, room on the disk.
# To be sourced, after messages.sh. Reads: venv, installer. Sets: python.
# shellcheck shell=bash disable=SC2154

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

is_supported() { [[ $1 == 3.11 || $1 == 3.12 || $1 == 3.13 ]]; }

find_python() {
  local candidate version seen=''
  local -a candidates=(python3.12 python3.11 python3.13 python3 python)
  [[ -z ${PYTHON:-} ]] || candidates=("$PYTHON")
  for candidate in "${candidates[@]}"; do
    version=$(version_of "$candidate") || continue
    if is_supported "$version"; then
      python=$candidate
      return
    fi
    seen+=", $candidate is $version"
  done
  fail "no Python 3.11, 3.12 or 3.13 found${seen:- (looked for ${candidates[*]})};" \
    "install one (Debian, Ubuntu: apt install python3.12 python3.12-venv)" \
    "or name it with PYTHON=/path/to/python3.12"
}

check_venv_module() {
  local version
  "$python" -c 'import venv' 2>/dev/null &&
    { [[ $installer == uv ]] || "$python" -c 'import ensurepip' 2>/dev/null; } && return
  version=$(version_of "$python")
  fail "$python has no venv module; install it (Debian, Ubuntu: apt install" \
    "python$version-venv)"
}

# Fails early and in one line, instead of in the middle of a compiler's output.
check_compiler() {
  local needs_compiler cc cxx include compiler
  "$python" - <<'PYTHON' && return
import importlib.util, platform, sys
if importlib.util.find_spec("fairseq"):  # compiled already
    sys.exit(0)
libc, version = platform.libc_ver()
glibc = tuple(int(n) for n in version.split(".")[:2]) if libc == "glibc" else ()
wheel = sys.version_info[:2] == (3, 12) and platform.machine() == "x86_64"
sys.exit(not (wheel and glibc >= (2, 28)))
PYTHON
  needs_compiler="fairseq must be compiled for Python $(version_of "$python")"
  { read -r cc && read -r cxx && read -r include; } < <("$python" - <<'PYTHON'
import os, sysconfig
print(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
print(os.environ.get("CXX") or "c++")
print(sysconfig.get_path("include"))
PYTHON
  )
  for compiler in "$cc" "$cxx"; do
    # Unquoted: CC and CXX may hold options too, as in "gcc -pthread".
    # shellcheck disable=SC2086
    $compiler -x c++ -fsyntax-only - <<<'#include <vector>' 2>/dev/null ||
      fail "$needs_compiler, and $compiler does not compile C++; install g++ (Debian," \
        "Ubuntu: apt install build-essential) or use Python 3.12, for which there is" \
        "a wheel"
  done
  [[ -f $include/Python.h ]] ||
    fail "$needs_compiler, and $include/Python.h is missing; install Python's headers" \
      "(Debian, Ubuntu: apt install python$(version_of "$python")-dev) or use" \
      "Python 3.12, for which there is a wheel"
}

free_mib() { df -Pk "$(dirname "$venv")" | awk 'NR == 2 {print int($4 / 1024)}'; }

has_room() { (($(free_mib) >= $1 * 1024)); } # GiB

fail_for_room() { # GiB, what for
  fail "$venv needs $1 GiB for $2, and $(free_mib) MiB are free there; make room, or" \
    "name another folder with ALONE_VENV"
}
