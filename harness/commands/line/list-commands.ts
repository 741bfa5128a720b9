// `features` and `amend`: what they take on the command line.

import type { Argv } from 'yargs';
import { refuse } from '../../base/errors.js';
import { singleFlag } from '../../config/flags.js';
import { dirOption, TEXT, TEXTS } from './options.js';

export function listCommands(line: Argv, done: (exitCode: number) => void): Argv {
  return line
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
          .option('step', {
            ...TEXTS,
            describe: 'what a user does or sees; once for each, in order, all of them',
          })
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
          await (await import('../amend.js')).amendCommand({
            dir: args.dir,
            list: singleFlag(args, 'list'),
            spec: singleFlag(args, 'spec'),
            yes: args.yes,
          }),
        ),
    );
}

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
    const { featuresCommand } = await import('../features.js');
    return featuresCommand({ dir, id, json: args.json === true });
  }
  const { editFeaturesCommand } = await import('../edit-features.js');
  return editFeaturesCommand({ dir, action, id, fields, before });
}
