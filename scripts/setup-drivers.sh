#!/usr/bin/env bash
# Installs the drivers that the tests run, in a folder of their own: setup-drivers.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../tests/drivers" && pwd)
folder=${1:?usage: setup-drivers.sh FOLDER}
# Made anew when what is wanted changes.
wanted=$(cat "$here/requirements.txt" "$here/package.json" | sha256sum | cut -c1-16)
[ "$(cat "$folder/made" 2>/dev/null)" = "$wanted" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder/node"
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q -r "$here/requirements.txt"
cp "$here/package.json" "$folder/node/"
(cd "$folder/node" && npm install --no-audit --no-fund --silent)
echo "$wanted" > "$folder/made"
