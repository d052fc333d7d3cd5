#!/bin/sh
# LiteLLM, which loads an export and computes costs with it.
#
#   scripts/litellm.sh       installs it into .tools/litellm if missing (needs Python 3.10); prints that folder
set -eu
cd "$(dirname "$0")/.."

folder=.tools/litellm
wanted=scripts/litellm-requirements.txt
if ! cmp -s "$wanted" "$folder/installed.txt"; then
  echo "litellm.sh: installing litellm into $folder …" >&2
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted" >&2
  # Last, so that an interrupted installation starts again.
  cp "$wanted" "$folder/installed.txt"
fi
echo "$PWD/$folder"
