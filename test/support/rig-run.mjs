// A run with a cheap proof: node rig-run.mjs DIR SPEC [JSON of options]. The app answers /F-001 with "F-001 works" when the feature is there.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../dist/commands/run.js';

const [dir, spec, options = '{}'] = process.argv.slice(2);

/** Proves by one HTTP request: the second kind of proof that the seam allows. */
const httpProof = {
  missing: (feature, root) =>
    existsSync(join(root, `e2e/${feature.id}.txt`)) ? null : `There is no e2e/${feature.id}.txt.`,
  file: feature => `e2e/${feature.id}.txt`,
  hash: (feature, root) =>
    createHash('sha256')
      .update(readFileSync(join(root, `e2e/${feature.id}.txt`)))
      .digest('hex'),
  run: async (feature, { baseUrl }) => {
    const text = await (await fetch(`${baseUrl}/${feature.id}`)).text();
    const green = text.includes(`${feature.id} works`);
    const summary = green
      ? 'It answers.'
      : `Red: expected "${feature.id} works", received ${JSON.stringify(text.slice(0, 80))}`;
    return {
      verdict: green ? 'green' : 'red',
      summary,
      report: summary,
      files: [],
      details: { kind: 'http' },
      ms: 1,
    };
  },
};

process.exitCode = await runCommand(
  {
    dir,
    spec,
    flags: {},
    configFile: undefined,
    sandbox: false,
    simulated: true,
    resume: false,
    retry: null,
    plan: false,
    yes: true,
    mine: null,
    say: null,
    detach: false,
    ...JSON.parse(options),
  },
  deps => ({ ...deps, proof: httpProof }),
);
