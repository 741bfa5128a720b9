#!/usr/bin/env node
// The command line: what can be asked, and how every outcome becomes an exit code.

import yargs, { type Argv } from 'yargs';
import { hideBin } from 'yargs/helpers';
import { EXIT, messageOf, refuse } from './base/errors.js';
import { failureOf } from './base/failure.js';
import { packageVersion } from './base/package-root.js';
import { flagOf } from './config/flag-of.js';
import { SETTING_NAMES, settingsFromFlags, singleFlag } from './config/flags.js';
import { SETTINGS } from './config/settings.js';

async function main(argv: string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  const done = (code: number) => {
    exitCode = code;
  };
  await yargs(argv)
    .scriptName('longhaul')
    .version(packageVersion())
    .usage('$0 <command>\n\nBuilds a web application from a written spec, over many sessions, unattended.')
    .command(
      'new <dir>',
      'make a folder with a spec to fill in',
      args => dirOption(args),
      async args => done(await (await import('./commands/new.js')).newCommand({ dir: args.dir })),
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
          await (await import('./commands/run.js')).runCommand({
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
          await (await import('./commands/run.js')).runCommand({
            ...runRequest(args),
            resume: true,
            plan: false,
          }),
        ),
    )
    .command(
      'status <dir>',
      'show how far a build is',
      args => dirOption(args).option('json', { type: 'boolean', default: false, describe: 'as JSON' }),
      async args =>
        done(await (await import('./commands/status.js')).statusCommand({ dir: args.dir, json: args.json })),
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
          await (await import('./commands/log.js')).logCommand({
            dir: args.dir,
            session: singleFlag(args, 'session'),
            follow: args.follow,
            json: args.json,
          }),
        ),
    )
    .command(
      'features <dir> [id]',
      'list the features, show one with its history and evidence, or change the list',
      args =>
        dirOption(args)
          .positional('id', { type: 'string', describe: 'of one feature' })
          .option('json', { type: 'boolean', default: false, describe: 'as JSON' })
          .option('add', { type: 'boolean', describe: 'add a feature' })
          .option('edit', { type: 'boolean', describe: 'change the feature' })
          .option('drop', { type: 'boolean', describe: 'take the feature out' })
          .option('description', { ...TEXT, describe: 'what a user of the app gets' })
          .option('step', { ...TEXTS, describe: 'what a user does or sees; once for each, in order' })
          .option('category', {
            ...TEXT,
            describe: 'functional, style, accessibility, performance or security',
          })
          .option('depends-on', { ...TEXTS, describe: 'a feature that must pass first; "" for none' })
          .option('before', { ...TEXT, describe: 'its place in the list: before this feature' }),
      async args => done(await features(args)),
    )
    .command(
      'amend <dir>',
      'take a list or spec that you changed',
      args =>
        dirOption(args)
          .option('list', {
            ...TEXT,
            describe: 'take this file as list; default: features.json as it lies in DIR',
          })
          .option('spec', { ...TEXT, describe: 'take this file or folder as app spec' })
          .option('yes', { type: 'boolean', default: false, describe: 'do not ask' }),
      async args =>
        done(
          await (await import('./commands/amend.js')).amendCommand({
            dir: args.dir,
            list: singleFlag(args, 'list'),
            spec: singleFlag(args, 'spec'),
            yes: args.yes,
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
          await (await import('./commands/stop.js')).stopCommand({
            dir: args.dir,
            request: args.now ? 'stop_now' : 'stop',
          }),
        ),
    )
    .command(
      'pause <dir>',
      'save and stop at once; only `resume` goes on',
      args => dirOption(args),
      async args =>
        done(await (await import('./commands/stop.js')).stopCommand({ dir: args.dir, request: 'pause' })),
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
          await (await import('./commands/doctor.js')).doctorCommand({
            dir: args.dir,
            live: args.live,
            yes: args.yes,
            model: singleFlag(args, 'model'),
            json: args.json,
          }),
        ),
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
        done(await (await import('./commands/demo.js')).demoCommand({ dir: args.dir, crash: args.crash })),
    )
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

const TEXT = { type: 'string', requiresArg: true } as const;
/** May be given several times, each with one value. */
const TEXTS = { type: 'string', array: true, nargs: 1 } as const;

async function features(args: Record<string, unknown> & { dir: string }): Promise<number> {
  const { dir } = args;
  const id = singleFlag(args, 'id');
  const description = singleFlag(args, 'description');
  const category = singleFlag(args, 'category');
  const before = singleFlag(args, 'before');
  const texts = (name: string) => (args[name] as string[] | undefined)?.filter(text => text !== '');
  const [steps, needs] = [texts('step'), texts('dependsOn')];
  const fields = {
    ...(description === undefined ? {} : { description }),
    ...(category === undefined ? {} : { category }),
    ...(steps === undefined ? {} : { steps }),
    ...(needs === undefined ? {} : { depends_on: needs }),
  };
  const actions = (['add', 'edit', 'drop'] as const).filter(action => args[action] === true);
  const [action] = actions;
  if (actions.length > 1) throw refuse('Give one of --add, --edit and --drop.');
  if (action === undefined) {
    if (before !== undefined || Object.keys(fields).length > 0)
      throw refuse('Say what to do with that: --add for a new feature, or ID --edit.');
    const { featuresCommand } = await import('./commands/features.js');
    return featuresCommand({ dir, id, json: args.json === true });
  }
  const { editFeaturesCommand } = await import('./commands/edit-features.js');
  return editFeaturesCommand({ dir, action, id, fields, before });
}

function dirOption<T>(args: Argv<T>) {
  return args.positional('dir', {
    type: 'string',
    demandOption: true,
    describe: 'folder of the app',
    coerce: named,
  });
}

/** `longhaul run "$UNSET"` must not mean the folder where one happens to be. */
function named(dir: string): string {
  if (dir === '') throw refuse('The folder is an empty text: name the folder of the app.');
  return dir;
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
