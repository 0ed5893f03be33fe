#!/bin/sh
# Installs code-server, VS Code for a browser, below the folder $1. Its install scripts download one binary, so its native
# parts are built here. Needs Node 20 with npm and headers, a C++ compiler, ripgrep, and the headers of libkrb5, libx11, libxkbfile, libsecret.
set -eu
folder=$1
test -e "$folder/installed" && exit 0
# Told before the minutes of building, not behind them.
for needed in node npm c++ rg; do
  command -v "$needed" > /dev/null || { echo "install-code-server.sh: '$needed' is needed and not installed" >&2; exit 1; }
done
export npm_config_loglevel=error
mkdir -p "$folder"
cd "$folder"
# Without one, npm would install into the extension's own folder, above.
test -e package.json || echo '{"private": true}' > package.json
npm install --ignore-scripts code-server@4.100.3
gyp=$(npm root -g)/npm/node_modules/node-gyp/bin/node-gyp.js
cd node_modules/code-server/lib/vscode
npm install --ignore-scripts --omit=dev
(cd extensions && npm install --ignore-scripts --omit=dev)
for module in node-pty @vscode/spdlog native-watchdog @parcel/watcher kerberos @vscode/deviceid; do
  (cd "node_modules/$module" && node "$gyp" rebuild --nodedir=/usr)
done
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
cd "$folder/node_modules/argon2"
PATH="$PATH:$folder/node_modules/.bin" npx --no-install node-pre-gyp install --build-from-source --nodedir=/usr
touch "$folder/installed"
