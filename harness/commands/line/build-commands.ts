// `new`, `run`, `resume`, `stop`, `pause`, `demo`: what they take on the command line.

import type { Argv } from 'yargs';
import { flagOf } from '../../config/flag-of.js';
import { SETTING_NAMES, settingsFromFlags, singleFlag } from '../../config/flags.js';
import { SETTINGS } from '../../config/settings.js';
import { dirOption, TEXT } from './options.js';

export function buildCommands(line: Argv, done: (exitCode: number) => void): Argv {
  return line
    .command(
      'new <dir>',
      'make a folder with a spec to fill in',
      args => dirOption(args),
      async args => done(await (await import('../new.js')).newCommand({ dir: args.dir })),
    )
    .command(
      'run <dir>',
      'start a build in DIR, or go on with it',
      args =>
        settingFlags(runOptions(args)).option('plan', {
          type: 'boolean',
          default: false,
          describe: 'lay out the project, print the plan and end',
        }),
      async args =>
        done(
          await (await import('../run.js')).runCommand({
            ...runRequest(args),
            resume: false,
            plan: args.plan,
          }),
        ),
    )
    .command(
      'resume <dir>',
      'go on with a parked build',
      args =>
        settingFlags(runOptions(args))
          .option('retry', { ...TEXT, describe: 'give only this feature its attempts again' })
          .option('say', {
            ...TEXT,
            describe: 'tell the next session something, such as the answer to its question',
          }),
      async args =>
        done(
          await (await import('../run.js')).runCommand({
            ...runRequest(args),
            resume: true,
            plan: false,
          }),
        ),
    )
    .command(
      'stop <dir>',
      'stop a build after its session; `run` goes on',
      args =>
        dirOption(args).option('now', {
          type: 'boolean',
          default: false,
          describe: 'save and stop at once, as Ctrl-C',
        }),
      async args =>
        done(
          await (await import('../stop.js')).stopCommand({
            dir: args.dir,
            request: args.now ? 'stop_now' : 'stop',
          }),
        ),
    )
    .command(
      'pause <dir>',
      'save and stop at once; only `resume` goes on',
      args => dirOption(args),
      async args => done(await (await import('../stop.js')).stopCommand({ dir: args.dir, request: 'pause' })),
    )
    .command(
      'demo',
      'build a small app with a script in place of the model: no key, no cost',
      args =>
        args
          .option('dir', { type: 'string', requiresArg: true, describe: 'leave the app in this folder' })
          .option('crash', {
            type: 'boolean',
            default: false,
            describe: 'kill the run in the middle and start it again',
          }),
      async args =>
        done(
          await (await import('../demo.js')).demoCommand({ dir: singleFlag(args, 'dir'), crash: args.crash }),
        ),
    );
}

function runOptions<T>(args: Argv<T>) {
  return dirOption(args)
    .option('spec', { type: 'string', requiresArg: true, describe: 'the app spec; default DIR/spec.md' })
    .option('config', { type: 'string', requiresArg: true, describe: "the operator's settings file" })
    .option('sandbox', {
      type: 'boolean',
      default: true,
      describe: 'walls around what the agent runs; --no-sandbox does without',
    })
    .option('yes', {
      type: 'boolean',
      default: false,
      describe: 'do not ask on a terminal whether the plan is right',
    })
    .option('commit-mine', {
      type: 'boolean',
      describe: 'commit what you left uncommitted in the app, and go on',
    })
    .option('stash-mine', {
      type: 'boolean',
      describe: 'set aside with git stash what you left uncommitted, and go on',
    })
    .conflicts('commit-mine', 'stash-mine')
    .option('detach', {
      type: 'boolean',
      default: false,
      describe: 'go on in the background, free of the terminal; asks nothing',
    })
    .option('simulated', { type: 'boolean', default: false, hidden: true });
}

function settingFlags<T>(args: Argv<T>) {
  for (const name of SETTING_NAMES) {
    const { text, default: value } = SETTINGS[name];
    // Numbers are read as text and checked by us: yargs would make NaN of a word.
    args.option(flagOf(name), { type: 'string', requiresArg: true, describe: `${text} (default ${value})` });
  }
  return args;
}

function runRequest(args: Record<string, unknown> & { dir: string }) {
  return {
    dir: args.dir,
    spec: singleFlag(args, 'spec'),
    configFile: singleFlag(args, 'config'),
    sandbox: args.sandbox === true,
    simulated: args.simulated === true,
    retry: singleFlag(args, 'retry') ?? null,
    say: singleFlag(args, 'say') ?? null,
    yes: args.yes === true,
    mine:
      args.commitMine === true ? ('commit' as const) : args.stashMine === true ? ('stash' as const) : null,
    detach: args.detach === true,
    flags: settingsFromFlags(args),
  };
}
