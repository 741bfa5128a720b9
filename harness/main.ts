#!/usr/bin/env node
// The command line: what can be asked, and how every outcome becomes an exit code.

import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { EXIT, messageOf, refuse } from './base/errors.js';
import { failureOf } from './base/failure.js';
import { packageVersion } from './base/package-root.js';
import { buildCommands } from './commands/line/build-commands.js';
import { listCommands } from './commands/line/list-commands.js';
import { lookCommands } from './commands/line/look-commands.js';

async function main(argv: string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  const done = (code: number) => {
    exitCode = code;
  };
  const line = yargs(argv)
    .scriptName('longhaul')
    .version(packageVersion())
    .usage('$0 <command>\n\nBuilds a web application from a written spec, over many sessions, unattended.');
  for (const commands of [buildCommands, lookCommands, listCommands]) commands(line, done);
  await line
    .demandCommand(
      1,
      'Name a command: new, run, resume, status, log, features, amend, stop, pause, doctor or demo.',
    )
    .strict()
    .recommendCommands()
    .wrap(100)
    .exitProcess(false)
    .fail((message, error) => {
      // Throwing here keeps the command from running; yargs would go on after a strict error.
      if (error && error.name !== 'YError') throw error;
      throw refuse(usageSentence(message || messageOf(error)));
    })
    .parseAsync();
  return exitCode;
}

/** What yargs found wrong, as one sentence and where help is. */
function usageSentence(message: string): string {
  const said = message
    .replace(/^Did you mean/, 'There is no such command. Did you mean')
    .replace(/^Not enough non-option arguments.*/, 'A folder is missing: name the folder of the app')
    .replace(/^Not enough arguments following: (.*)/, '--$1 needs a value')
    .replace(/^Unknown argument(s?): /, 'There is no such option or argument: ')
    .replace(/\s+/g, ' ');
  return `${said}${/[.?!]$/.test(said) ? '' : '.'} \`longhaul --help\` and \`longhaul COMMAND --help\` show what can be asked.`;
}

// A terminal that is gone takes no last words either; they must not become a crash.
process.stderr.on('error', () => {});

main(hideBin(process.argv)).then(
  code => {
    process.exitCode = code;
  },
  error => {
    const { message, exitCode } = failureOf(error);
    process.stderr.write(`longhaul: ${message}
`);
    process.exitCode = exitCode;
  },
);
