#!/bin/sh
# Schemathesis, which generates requests from an OpenAPI document, a validator of such documents, and a feed reader.
#
#   scripts/fuzz.sh          installs them into .tools/fuzz if missing (needs Python 3.10); prints that folder
set -eu
exec "$(dirname "$0")/venv.sh" fuzz schemathesis
