// Sixty ways to go round in circles and sixty ways to be busy, as the guard sees them: turn by turn, calls with results.

import type { RunCall } from '../../harness/session/loop-guard.js';

export interface GeneratedTranscript {
  title: string;
  turns: RunCall[][];
  /** Index of the first turn of the loop; null when there is none. */
  loopFrom: number | null;
}

type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const between = (random: Random, low: number, high: number) => low + Math.floor(random() * (high - low + 1));

function called(tool: string, input: unknown, text: string, isError = false): RunCall {
  return { tool, input, text, isError, images: [] };
}

/** As `bash` answers, with a duration that is never the same. */
function bash(random: Random, command: string, output: string, code = 0): RunCall {
  const silent = output === '' ? 'no output, ' : '';
  const seconds = (random() * 9).toFixed(1);
  return called('bash', { command }, `${output}${output && '\n'}[${silent}exit code ${code}, ${seconds} s]`);
}

const edit = (path: string, step: number) =>
  called(
    'text_editor',
    { command: 'str_replace', path, old_str: `old ${step}`, new_str: `new ${step}` },
    `Replaced one place in ${path}\n     1\tnew ${step}`,
  );
const view = (path: string, from: number) =>
  called('text_editor', { command: 'view', path, view_range: [from, from + 50] }, `${path} line ${from}`);
const verifyRed = (step: string) =>
  called('verify_feature', { id: 'F-001', commitMessage: 'Add it' }, `Red at step "${step}".`, true);

const iso = (random: Random) =>
  new Date(Date.UTC(2026, 2, 5, 8, 0, between(random, 0, 80_000))).toISOString();
const clock = (random: Random) => iso(random).slice(11, 19);

/** Fruitful turns before a loop begins. */
function work(random: Random): RunCall[][] {
  return Array.from({ length: between(random, 0, 9) }, (_, step) =>
    random() < 0.5 ? [view(`src/part-${step}.ts`, 1)] : [edit(`src/part-${step}.ts`, step)],
  );
}

/** Each makes the nth turn of a loop. */
const LOOPS: Record<string, (random: Random) => (turn: number) => RunCall[]> = {
  'the same call': random => () => [bash(random, 'git status', 'nothing to commit')],
  'the same call, its output with ISO times': random => () => [
    bash(random, 'tail -2 app.log', `${iso(random)} GET / 500\n${iso(random)} Error: no such table`),
  ],
  'the same call, its output with clock times and durations': random => () => [
    bash(
      random,
      'npm test',
      `Start at ${clock(random)}\n✗ adds a note (${between(random, 1, 900)} ms)\nDuration ${(random() * 9).toFixed(2)}s`,
      1,
    ),
  ],
  'a blocked tool': () => () => [called('browser', { action: 'open', url: '/' }, 'Not allowed.', true)],
  'the same error from other calls': () => turn => [
    called(
      'text_editor',
      { command: 'create', path: `features${turn}.json` },
      'Files of the harness cannot be written.',
      true,
    ),
  ],
  'the same shell error from other commands': random => turn => [
    bash(
      random,
      `docker ${['ps', 'info', 'images'][turn % 3]} -${turn}`,
      'bash: docker: command not found',
      127,
    ),
  ],
  'A and B': random => turn => [
    turn % 2 === 0 ? verifyRed('See the list') : bash(random, 'curl -s $BASE_URL', '<h1>Notes</h1>'),
  ],
  'a cycle of three': random => turn => [
    [view('src/app.ts', 1), bash(random, 'npm run build', 'built in 1.2s'), verifyRed('See the list')][
      turn % 3
    ] as RunCall,
  ],
  'a cycle of four, undone and done again': random => turn => [
    [
      edit('src/app.ts', 1),
      bash(random, 'npm test', `1 failed, took ${between(random, 1, 99)} ms`, 1),
      edit('src/app.ts', 2),
      bash(random, 'npm test', `2 failed, took ${between(random, 1, 99)} ms`, 1),
    ][turn % 4] as RunCall,
  ],
  'a cycle of five': random => turn => [
    [
      view('a.ts', 1),
      view('b.ts', 1),
      bash(random, 'git diff', ''),
      bash(random, 'git status', 'clean'),
      verifyRed('Open the page'),
    ][turn % 5] as RunCall,
  ],
  'the same calls side by side, in any order': random => () => {
    const both = [bash(random, 'git log', 'abc first'), view('src/app.ts', 1)];
    return random() < 0.5 ? both : both.reverse();
  },
  'waiting for what never comes': random => () => [
    bash(
      random,
      'sleep 20; tail -1 build.log',
      `[${clock(random)}] waiting for lock, pid ${between(random, 2, 9999)}`,
    ),
  ],
};

/** Each is a whole session in which every turn has its sense. */
const FRUITFUL: Record<string, (random: Random) => RunCall[][]> = {
  'twenty files, rebuilt after each': random =>
    times(20).flatMap(step => [
      [called('text_editor', { command: 'create', path: `src/f${step}.ts` }, `Created src/f${step}.ts`)],
      [bash(random, 'npm run build', 'built in 1.2s')],
    ]),
  'twenty files, rebuilt in the same turn': random =>
    times(20).map(step => [
      edit(`src/f${step}.ts`, step),
      bash(random, 'npm run build', 'error TS2307: Cannot find module', 2),
    ]),
  'twenty files by heredoc, with one build that stays red to the end': random =>
    times(20).map(step => [
      bash(
        random,
        `cat > src/f${step}.ts <<'EOF'\nexport {};\nEOF\nnpm run build`,
        "Cannot find module './last.js'",
        1,
      ),
    ]),
  'edits with build, lint and test after each': random =>
    times(8).flatMap(step => [
      [edit('src/app.ts', step)],
      [bash(random, 'npm run build', 'ok')],
      [bash(random, 'npm run lint', 'ok')],
      [bash(random, 'npm test', '3 passed')],
    ]),
  'one red test, another try each time': random =>
    times(15).flatMap(step => [
      [edit('src/app.ts', step)],
      [bash(random, 'npm test', 'AssertionError: expected 1 to be 2', 1)],
    ]),
  'verification red again and again, mended between': () =>
    times(10).flatMap(step => [[edit('src/app.ts', step)], [verifyRed('See the list')]]),
  'waiting for a build that goes on': random =>
    times(20).map(step => [
      bash(random, 'sleep 20; tail -1 build.log', `${clock(random)} [${step * 5 + 1}%] Compiling`),
    ]),
  'waiting for what counts seconds of its whole': random =>
    times(20).map(step => [
      bash(random, 'tail -1 video.log', `encoded ${step * 3} s of 60 s, ETA ${60 - step * 3} s`),
    ]),
  'waiting for what moves at every third look': random =>
    times(24).map(step => [bash(random, 'sleep 30; wc -l out.txt', `${Math.floor(step / 3) * 40} out.txt`)]),
  'reading thirty files': () => times(30).map(step => [view(`src/f${step}.ts`, 1)]),
  'searching for what is not there': random =>
    times(12).map(step => [bash(random, `grep -rn name${step} src`, '', 1)]),
  'three equal calls, then on': random =>
    times(8).flatMap(step => [
      ...times(3).map(() => [bash(random, 'curl -sf $BASE_URL', 'refused', 7)]),
      [edit('src/server.ts', step)],
    ]),
};

const times = (count: number) => Array.from({ length: count }, (_, step) => step);
const SEEDS = times(5);
/** Longer than any loop may live. */
const LOOP_TURNS = 20;

export const LOOPING: GeneratedTranscript[] = Object.entries(LOOPS).flatMap(([title, make]) =>
  SEEDS.map(seed => {
    const random = seeded(seed * 7919 + title.length);
    const before = work(random);
    const nth = make(random);
    return {
      title: `${title}, seed ${seed}`,
      turns: [...before, ...times(LOOP_TURNS).map(nth)],
      loopFrom: before.length,
    };
  }),
);

export const BUSY: GeneratedTranscript[] = Object.entries(FRUITFUL).flatMap(([title, make]) =>
  SEEDS.map(seed => ({
    title: `${title}, seed ${seed}`,
    turns: [...work(seeded(seed)), ...make(seeded(seed * 104_729 + title.length))],
    loopFrom: null,
  })),
);
