#!/usr/bin/env bash
# Installs what building tonno needs and this machine lacks; says what and why.
#
#   scripts/setup.sh               what the build needs
#   scripts/setup.sh --tests       and what only the tests need
#   scripts/setup.sh --benchmarks  and what only benchmarks/host needs
#
# MLIR_DIR=<prefix>/lib/cmake/mlir in the environment: that LLVM/MLIR 22 is
# used, and Debian's is not installed.
set -euo pipefail
# shellcheck source=scripts/packages.sh
source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

# Overridden by the tests of this script.
os_release=${TONNO_OS_RELEASE:-/etc/os-release}
sources_dir=${TONNO_APT_SOURCES_DIR:-/etc/apt/sources.list.d}

say() { printf 'setup: %s\n' "$*"; }

die() {
  printf 'setup: error: %s\n' "$1" >&2
  shift
  (($# == 0)) || printf '%s\n' "$@" >&2
  exit 1
}

os_field() (
  # shellcheck disable=SC1090
  [[ ! -r $os_release ]] || source "$os_release"
  printf '%s' "${!1:-}"
)

# wanted_packages [tests | benchmarks]...: lines of package and reason, of the
# build and of these.
wanted_packages() {
  local part
  [[ -n ${MLIR_DIR:-} ]] || printf '%s' "$mlir_packages"
  printf '%s' "$build_packages"
  for part in "$@"; do
    case $part in
      tests) printf '%s' "$test_packages" ;;
      benchmarks) printf '%s' "$benchmark_packages" ;;
    esac
  done
}

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null) == ?i* ]]
}

has_candidate() {
  local policy
  policy=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null)
  [[ $policy == *'Candidate: '* && $policy != *'Candidate: (none)'* ]]
}

# Sets `unknown` to the packages among "$@" that apt knows no version of.
find_unknown() {
  local package
  unknown=()
  for package in "$@"; do
    has_candidate "$package" || unknown+=("$package")
  done
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

# Stops with the command to run where this user can't become root.
require_root_for() {
  [[ $(id -u) == 0 ]] && return
  if command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
    return
  fi
  die "these packages are missing, and this user can't install them (no root, no sudo without a password)." \
    "Ask for this, then start again:" \
    "  apt-get update && apt-get install --no-install-recommends $*" \
    "On Debian 12 the LLVM 22 packages come from the security archive:" \
    "  deb http://deb.debian.org/debian-security bookworm-security main"
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

update_lists() {
  # A failed update is no failure yet: the lists at hand may do.
  apt_get update || say "apt-get update failed; going on with the lists at hand"
}

# add_security_archive <codename>
add_security_archive() {
  local file=$sources_dir/tonno-security.sources
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  say "adding the security archive of Debian ($1-security) as $file"
  {
    printf '%s\n' \
      "# Written by tonno's scripts/setup.sh: LLVM 22 for $1 is in the security archive." \
      "Types: deb" \
      "URIs: http://deb.debian.org/debian-security" \
      "Suites: $1-security" \
      "Components: main"
    [[ ! -e $keyring ]] || printf 'Signed-By: %s\n' "$keyring"
  } | as_root tee "$file" >/dev/null
  update_lists
}

# make_available <package>...: apt knows a version of each, or this stops.
make_available() {
  local codename
  local -a unknown
  # Even lists that know every package may be too old to fetch it from.
  update_lists
  find_unknown "$@"
  codename=$(os_field VERSION_CODENAME)
  if ((${#unknown[@]} > 0)) && [[ $codename =~ ^(bookworm|trixie)$ ]]; then
    say "not in the archives that apt uses here: ${unknown[*]}"
    add_security_archive "$codename"
    find_unknown "$@"
  fi
  ((${#unknown[@]} == 0)) || die "apt knows no package ${unknown[*]}" \
    "tonno is built on Debian 12 and 13; elsewhere give MLIR_DIR=<prefix>/lib/cmake/mlir of an LLVM/MLIR 22."
}

install_on_debian() {
  local package reason
  local -a missing=()
  while read -r package reason; do
    if [[ -n $package ]] && ! is_installed "$package"; then
      missing+=("$package")
      say "missing: $package: $reason"
    fi
  done < <(wanted_packages "$@")
  if ((${#missing[@]} == 0)); then
    say "every package is installed"
    return
  fi
  require_root_for "${missing[@]}"
  make_available "${missing[@]}"
  apt_get install -y --no-install-recommends "${missing[@]}" ||
    die "apt-get could not install: ${missing[*]}"
}

# Not Debian: nothing is installed. Tools are looked for here; for libraries
# CMake's own messages are better than a guess.
check_tools() {
  local tool
  local -a tools=(cmake ninja clang-22 clang++-22) lacking=()
  [[ " $* " != *' tests '* ]] || tools+=(python3 clang-format-22 clang-tidy-22)
  say "this is not Debian, so nothing is installed; needed, under the names they have there:"
  wanted_packages "$@" | sed -e '/^$/d' -e 's/^/  /'
  for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null || lacking+=("$tool")
  done
  ((${#lacking[@]} == 0)) || die "these tools are not on the PATH: ${lacking[*]}"
  say "the tools are there; whether the libraries are, CMake will say"
}

main() {
  local option
  local -a wanted=()
  for option in "$@"; do
    case $option in
      --tests | --benchmarks) wanted+=("${option#--}") ;;
      *) die "unknown option '$option'; there are --tests and --benchmarks" ;;
    esac
  done
  if [[ $(os_field ID) == debian ]] && command -v dpkg-query apt-get >/dev/null; then
    install_on_debian "${wanted[@]}"
  else
    check_tools "${wanted[@]}"
  fi
}

main "$@"
