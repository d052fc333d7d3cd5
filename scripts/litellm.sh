#!/bin/sh
# LiteLLM, which loads an export and computes costs with it.
#
#   scripts/litellm.sh       installs it into .tools/litellm if missing (needs Python 3.10); prints that folder
set -eu
exec "$(dirname "$0")/venv.sh" litellm litellm
