#!/usr/bin/env bash
# Builds the documentation site, and checks it.
#
#   scripts/docs.sh build [<build tree> [<folder>]]  builds the site in <build tree>/site, or
#                                                    in the folder; warnings are errors
#   scripts/docs.sh man [<build tree> [<folder>]]    builds the man pages in docs/man, or in
#                                                    the folder, from --help of the tools
#   scripts/docs.sh links [<build tree>]             follows the external links, for which
#                                                    the network is needed
#
# The Python package and Sphinx are in the tree's virtual environment:
# scripts/install_python.sh installs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${2:-build}
site=${3:-$build/site}
sphinx=("$build/venv/bin/python" -m sphinx --fail-on-warning --keep-going --nitpicky --quiet --fresh-env)
case ${1:-} in
  build)
    "${sphinx[@]}" --doctree-dir "$site/.doctrees" --builder html docs "$site"
    echo "$site/index.html"
    ;;
  man)
    sources=$build/man-sources
    rm -rf "$sources"
    "$build/venv/bin/python" scripts/write_man.py "$build/bin" "$sources"
    "${sphinx[@]}" --doctree-dir "$sources/.doctrees" --conf-dir docs/man --builder man \
      "$sources" "${3:-docs/man}"
    ;;
  links)
    "${sphinx[@]}" --doctree-dir "$site/.doctrees" --builder linkcheck docs "$site-links"
    ;;
  *)
    sed -n '2,12s/^# \?//p' "$0" >&2
    exit 2
    ;;
esac
