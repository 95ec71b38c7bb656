# Command lines of the scripts that work on experiments.
# To be sourced after messages.sh.
# shellcheck shell=bash

# read_options NAME VALUES SWITCHES "$@": put the argument of each option in VALUES in the
# variable of its name (--save-dir in save_dir), yes in that of each option in SWITCHES,
# and the one argument without an option in NAME. Where VALUES has --, what follows -- goes
# to the array extra. An empty NAME: no such argument. The script's function usage is the
# text of --help.
read_options() {
  local name=$1 values=" $2 " switches=" $3 " option
  shift 3
  while (($#)); do
    option=${1#--}
    if [[ $1 == --help ]]; then
      usage && exit
    elif [[ $1 == -- && $values == *' -- '* ]]; then
      # shellcheck disable=SC2034  # for the scripts that source this file
      shift && extra=("$@") && return
    elif [[ $1 == --?* && $values == *" $option "* ]]; then
      take "${option//-/_}" "$@" && shift
    elif [[ $1 == --?* && $switches == *" $option "* ]]; then
      printf -v "${option//-/_}" yes
    elif [[ $1 == -* ]]; then
      [[ $values != *' -- '* ]] ||
        fail "unknown option $1; flags of fairseq-train go after --; see --help"
      fail "unknown option $1; see --help"
    elif [[ -z $name ]]; then
      fail "unknown argument $1; see --help"
    else
      [[ -z ${!name} ]] || fail "one ${name^^} at a time, not also $1"
      printf -v "$name" '%s' "$1"
    fi
    shift
  done
}

# check_number OPTION VALUE...: whole numbers from 0; from 1 where OPTION ends with +.
check_number() {
  local option=${1%+} number least=0
  [[ $1 != *+ ]] || least=1
  for number in "${@:2}"; do
    # 9 digits: more would overflow the shell's arithmetic.
    if [[ ! $number =~ ^(0|[1-9][0-9]{0,8})$ ]] || ((number < least)); then
      fail "$option must be a whole number from $least, not $number"
    fi
  done
}
