#!/usr/bin/env bash
# Makes the project's virtual environment, or brings it up to date.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: bash scripts/setup.sh [--dev] [--check]

Makes the virtual environment .venv with torch, fairseq and this project in it, or
brings it up to date. Says what it does; done in a moment when there is nothing to
do. May be interrupted and started again at any time.

  --dev    also what developers need: pytest, ruff, mypy, shellcheck
  --check  change nothing; exit status 0 if there is nothing to do, else 1
  --help   this text

Environment:
  ALONE_VENV       folder of the environment, relative to the project's folder
                   (default: .venv)
  PYTHON           the Python to make it with         (default: the first of
                   python3.12, python3.11, python3.13, python3, python that fits)
  ALONE_TORCH      which torch, e.g. "torch==2.11.0"  (default: the one that is there
                   already, else the one in requirements/torch.txt)
  ALONE_INSTALLER  pip, or uv where it is installed   (default: pip)
pip's and uv's own settings hold, e.g. PIP_FIND_LINKS for a folder of wheels.
HELP
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/messages.sh
source "$root/scripts/messages.sh"
# shellcheck source=scripts/setup_checks.sh
source "$root/scripts/setup_checks.sh"
# shellcheck source=scripts/setup_steps.sh
source "$root/scripts/setup_steps.sh"

extras=experiments # what scripts/reproduce.sh needs beside the package
check_only=false
for argument in "$@"; do
  case $argument in
    --dev) extras=dev ;;
    --check) check_only=true ;;
    --help | -h) usage && exit 0 ;;
    *) fail "unknown option $argument; --help lists the options" ;;
  esac
done

venv=${ALONE_VENV:-$root/.venv}
[[ $venv == /* ]] || venv=$root/$venv
venv=${venv%/}
venv_python=$venv/bin/python
unfinished=$venv/.alone-unfinished # there only while the environment is being made
log=$venv.log
installer=${ALONE_INSTALLER:-pip}
[[ $installer == pip || $installer == uv ]] ||
  fail "ALONE_INSTALLER=$installer; it must be pip or uv"

# Prints what the environment depends on, as one checksum.
state() { # extras
  local python_version
  python_version=$(version_of "$venv_python") || return 1
  {
    printf '%s\n' "$root" "$python_version" "${ALONE_TORCH:-}" "$1"
    cd "$root" && cat setup.py requirements/*.txt scripts/setup*.sh
  } | sha256sum | cut -d ' ' -f 1
}

is_stamped() { # extras
  local stamp=$venv/.alone-setup-$1
  [[ -f $stamp && ! -e $unfinished && $(<"$stamp") == "$(state "$1")" ]]
}

# The developers' environment has all that the plain one has.
is_ready() { is_stamped dev || { [[ $extras == experiments ]] && is_stamped experiments; }; }

if is_ready; then
  say "$venv is up to date"
  exit 0
elif $check_only; then
  say "$venv is not up to date; bash scripts/setup.sh mends that"
  exit 1
fi

make_environment() {
  if [[ -e $unfinished ]]; then
    say "removing what an interrupted run left in $venv"
    rm -rf -- "$venv"
  elif [[ -n $(ls -A "$venv" 2>/dev/null) ]]; then
    fail "$venv is there, but is no virtual environment that works; remove it, or name" \
      "another folder with ALONE_VENV"
  fi
  mkdir -p "$venv"
  touch "$unfinished"
  local -a without_pip=()
  [[ $installer == pip ]] || without_pip=(--without-pip)
  logged "making $venv with $python ($(version_of "$python"))" \
    "$python" -m venv "${without_pip[@]}" "$venv"
  rm "$unfinished"
}

# Succeeds if the torch in the environment is one that setup.py accepts.
has_torch() {
  "$venv_python" - <<'PYTHON'
import importlib.metadata as metadata, sys
try:
    version = metadata.version("torch").split("+")[0]
except metadata.PackageNotFoundError:
    sys.exit(1)
sys.exit(not (2, 6) <= tuple(int(n) for n in version.split(".")[:2]) < (2, 16))
PYTHON
}

# The ordinary build of torch for Linux brings gigabytes of CUDA libraries along.
is_cpu_build_on_offer() {
  local spec=${ALONE_TORCH:-$(grep -v '^#' "$root/requirements/torch.txt")} offered
  if [[ $spec == *+cpu* ]]; then return; fi
  if [[ $installer == uv ]]; then
    offered=$(uv pip install --dry-run --no-deps --python "$venv_python" \
      "${find_links[@]}" "$spec" 2>&1) || return 1
  else
    offered=$("$venv_python" -m pip index versions torch 2>&1) || return 1
  fi
  grep -qF "${spec#torch==}+cpu" <<<"$offered"
}

install_torch() {
  if [[ -z ${ALONE_TORCH:-} ]] && has_torch; then
    install "installing the build tools" -r "$root/requirements/build.txt"
    return
  fi
  local -a spec=(-r "$root/requirements/torch.txt")
  [[ -z ${ALONE_TORCH:-} ]] || spec=("$ALONE_TORCH")
  has_room 8 || is_cpu_build_on_offer || fail_for_room 8 "torch with its CUDA libraries"
  install "installing torch and the build tools" "${spec[@]}" \
    -r "$root/requirements/build.txt"
}

install_fairseq() {
  # -O0: what this leaves slow is not used for text (alignment, BASE layers,
  # Levenshtein); what is used sets -O3 itself. Compiling takes two thirds of the time.
  # CUDA_HOME would make it compile CUDA code that is not needed either.
  export CFLAGS="-O0 -g0 ${CFLAGS:-}"
  unset CUDA_HOME
  install "installing fairseq (if it must be compiled: about 2 minutes)" \
    --require-hashes --no-deps --no-build-isolation -r "$root/requirements/fairseq.txt"
}

install_project() {
  # The torch that is there stays, whatever else is newer.
  "$venv_python" -c 'from importlib.metadata import version; print("torch==" + version("torch"))' \
    >"$venv/torch-constraint.txt"
  install "installing this project and what else it needs" --no-build-isolation \
    --constraint "$venv/torch-constraint.txt" --editable "${root}[$extras]"
}

check_imports() {
  logged "checking that it works" "$venv_python" -c '
import fairseq.data.data_utils_fast, fairseq.data.token_block_utils_fast
import sacrebleu, sacremoses, subword_nmt
import fairseq, torch
'
}

[[ $installer == pip ]] || command -v uv >/dev/null ||
  fail "ALONE_INSTALLER=uv, but there is no uv; install it, or leave pip to do it"
mkdir -p "$(dirname "$venv")" || fail "cannot make $(dirname "$venv"); set ALONE_VENV"
if command -v flock >/dev/null; then
  exec 9>"$venv.lock"
  flock --nonblock 9 || {
    say "waiting for another set-up of $venv"
    flock 9
  }
  if is_ready; then
    say "$venv is up to date"
    exit 0
  fi
fi
: >"$log"

if version=$(version_of "$venv_python") && [[ ! -e $unfinished ]]; then
  is_supported "$version" ||
    fail "$venv has Python $version, and 3.11, 3.12 or 3.13 is needed; remove it, or" \
      "name another folder with ALONE_VENV"
  [[ -z ${PYTHON:-} || $(version_of "$PYTHON") == "$version" ]] ||
    fail "$venv has Python $version, and PYTHON=$PYTHON is another; remove $venv, or" \
      "name another folder with ALONE_VENV"
  python=$venv_python
  check_compiler
else
  find_python
  check_venv_module
  check_compiler
  has_room 3 || fail_for_room 3 "torch, fairseq and what they need"
  make_environment
fi
install_torch
install_fairseq
install_project
check_imports
printf '%s\n' "$(state "$extras")" >"$venv/.alone-setup.tmp"
mv "$venv/.alone-setup.tmp" "$venv/.alone-setup-$extras"
say "$venv is ready after $SECONDS s"
