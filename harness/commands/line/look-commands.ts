// `status`, `log`, `doctor`: what they take on the command line.

import type { Argv } from 'yargs';
import { singleFlag } from '../../config/flags.js';
import { dirOption } from './options.js';

export function lookCommands(line: Argv, done: (exitCode: number) => void): Argv {
  return line
    .command(
      'status <dir>',
      'show how far a build is',
      args => dirOption(args).option('json', { type: 'boolean', default: false, describe: 'as JSON' }),
      async args =>
        done(await (await import('../status.js')).statusCommand({ dir: args.dir, json: args.json })),
    )
    .command(
      'log <dir>',
      'tell what happened, as a story',
      args =>
        dirOption(args)
          .option('session', {
            type: 'string',
            requiresArg: true,
            describe: 'only this session, with what the model said',
          })
          .option('follow', { type: 'boolean', default: false, describe: 'go on until the run rests' })
          .option('json', { type: 'boolean', default: false, describe: 'as JSON, a record a line' }),
      async args =>
        done(
          await (await import('../log.js')).logCommand({
            dir: args.dir,
            session: singleFlag(args, 'session'),
            follow: args.follow,
            json: args.json,
          }),
        ),
    )
    .command(
      'doctor [dir]',
      'look whether this machine has what a run needs',
      args =>
        args
          .positional('dir', { type: 'string', describe: 'where the app will lie' })
          .option('live', {
            type: 'boolean',
            default: false,
            describe: 'ask the API too (asks first, at most $0.05): key, model, tool types, cache',
          })
          .option('yes', { type: 'boolean', default: false, describe: 'with --live: do not ask first' })
          .option('model', {
            type: 'string',
            requiresArg: true,
            describe: 'with --live: another model than that of the settings',
          })
          .option('json', { type: 'boolean', default: false, describe: 'as JSON' }),
      async args =>
        done(
          await (await import('../doctor.js')).doctorCommand({
            dir: args.dir,
            live: args.live,
            yes: args.yes,
            model: singleFlag(args, 'model'),
            json: args.json,
          }),
        ),
    );
}
