#!/usr/bin/env bash
# Brings the garden board up and looks after it: ./init.sh setup | start | smoke | reset | check; no verb: setup, start.
# All state is in $DATA_DIR; the app has no packages to install.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export PORT="${PORT:-3000}"
export BASE_URL="${BASE_URL:-http://127.0.0.1:$PORT}"
export DATA_DIR="${DATA_DIR:-$PWD/.data}"

setup() {
  node -e 'if (Number(process.versions.node.split(".")[0]) < 20) throw new Error("the board needs Node 20 or later")'
}

start() {
  exec node server.mjs
}

smoke() {
  node --input-type=module -e '
    const page = await fetch(process.env.BASE_URL, { signal: AbortSignal.timeout(20_000) });
    if (!(await page.text()).includes("The garden board")) throw new Error("the start page is not the board");
    console.log("smoke: ok");
  '
}

reset() {
  node --input-type=module -e '
    const answer = await fetch(process.env.BASE_URL + "/reset", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
      signal: AbortSignal.timeout(1_500),
    });
    if (!answer.ok) throw new Error(`reset was answered with ${answer.status}`);
  '
}

# One process for all unit tests: starting one for each file would take longer than the tests.
check() {
  node --check server.mjs
  node --check public/page.mjs
  node --test-reporter=spec --input-type=module -e '
    for (const file of process.argv.slice(1)) {
      await import(file).catch(error => {
        console.error(`${file}: ${error.message}`);
        process.exit(1);
      });
    }
  ' "$PWD"/*.test.mjs
  echo 'check: ok'
}

case "${1-}" in
  setup | start | smoke | reset | check) "$1" ;;
  '')
    setup
    start
    ;;
  *)
    echo "init.sh: there is no verb '$1'; use setup, start, smoke, reset or check, or none for setup and start" >&2
    exit 2
    ;;
esac
