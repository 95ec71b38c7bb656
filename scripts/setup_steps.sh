# How scripts/setup.sh runs what takes long: with its output in a log, with a sign of
# life, in a way that an interrupt stops it, and with the reason if it fails.
# To be sourced, after messages.sh. Reads: venv_python, installer, log.
# shellcheck shell=bash disable=SC2154

# Runs a command with its output in the log, and shows that it is alive.
logged() { # title, command...
  local title=$1 start=$SECONDS shown=0 child
  shift
  say "$title"
  printf '\n== %s\n%s\n' "$title" "$*" >>"$log"
  set -m # a process group of its own, so that an interrupt stops all of it
  "$@" </dev/null >>"$log" 2>&1 &
  child=$!
  set +m
  while kill -0 "$child" 2>/dev/null; do
    sleep 0.1
    if ((SECONDS - start >= shown + 20)); then
      shown=$((SECONDS - start))
      say "  ... $shown s"
    fi
  done
  wait "$child" || explain_failure "$title"
  printf '== took %s s\n' "$((SECONDS - start))" >>"$log"
}

stop() {
  local child
  trap - INT TERM HUP
  child=$(jobs -pr)
  if [[ -n $child ]] && kill -INT -- "-$child" 2>/dev/null; then
    for _ in {1..50}; do # pip tidies up after an interrupt
      kill -0 "$child" 2>/dev/null || break
      sleep 0.1
    done
    # What was started in the background (nohup, &) does not hear an interrupt.
    if kill -0 "$child" 2>/dev/null; then kill -TERM -- "-$child"; fi
    wait "$child" || say "stopped"
  fi
  say "interrupted; the same command goes on from here"
  exit 130
}
trap stop INT TERM HUP

explain_failure() { # title
  local output
  output=$(awk -v mark="== $1" '$0 == mark {text = ""} {text = text $0 "\n"} END {printf "%s", text}' "$log")
  said() { grep -qiE "$1" <<<"$output"; }
  if said 'no space left|disk quota exceeded'; then
    fail "$1: the disk is full; make room (or move TMPDIR, ALONE_VENV or pip's cache" \
      "elsewhere) and run this again; details: $log"
  elif said 'do not match the hashes|hash mismatch'; then
    fail "$1: an archive is not the one that requirements/fairseq.txt names, so it was" \
      "not installed; find out where the package index got it; details: $log"
  elif said 'failed to establish|connection (refused|reset|timed out)|(read|connect).?timed? ?out|name resolution|name or service|network is unreachable|error sending request|dns error|proxyerror|sslerror|failed to fetch|max retries'; then
    fail "$1: no package index can be reached; check the network and the settings of" \
      "$installer (proxy, index, folder of wheels); details: $log"
  elif said 'no matching distribution|could not find a version|no solution found|no versions? of'; then
    fail "$1: the package index has no such version for this Python; set ALONE_TORCH" \
      "if it is torch, else check the settings of $installer; details: $log"
  fi
  tail -n 15 "$log" >&2
  fail "$1 failed; the lines above are the end of $log"
}

# uv does not read pip's settings. The folders are separated by spaces.
find_links=()
for folder in ${PIP_FIND_LINKS:-}; do find_links+=(--find-links "$folder"); done

install() { # title, arguments of "pip install"...
  local title=$1
  shift
  if [[ $installer == uv ]]; then
    # pip compiles to bytecode by itself. Without that every start of fairseq takes
    # seconds longer where Python may not write bytecode, as in many containers.
    logged "$title" uv pip install --compile-bytecode --python "$venv_python" \
      "${find_links[@]}" "$@"
  else
    logged "$title" "$venv_python" -m pip install --disable-pip-version-check \
      --no-input --progress-bar off "$@"
  fi
}
