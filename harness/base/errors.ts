// The one error class of Longhaul: a sentence for a person, a code for programs, an exit code for scripts.

/** Exit codes of the command line; `docs/architecture.md` has the table. */
export const EXIT = {
  done: 0,
  fault: 1,
  refused: 2,
  stuck: 3,
  budget: 4,
  sessionLimit: 5,
  needsPerson: 6,
  proofBroken: 7,
  interrupted: 130,
} as const;

/** What went wrong, for programs to branch on. Never read the message to decide. */
export type ErrorCode =
  | 'refused' // bad usage, settings or preconditions: nothing was changed
  | 'held' // another process holds the run
  | 'damage' // the journal, the list or git contradict each other; nothing is guessed
  | 'conflict' // HEAD moved between a decision and its commit
  | 'disk' // a file could not be read or written
  | 'git' // a git command failed
  | 'process' // a process of ours could not be started or ended badly
  | 'fault'; // a bug of ours

const EXIT_OF: Record<ErrorCode, number> = {
  refused: EXIT.refused,
  held: EXIT.refused,
  damage: EXIT.fault,
  conflict: EXIT.fault,
  disk: EXIT.needsPerson,
  git: EXIT.fault,
  process: EXIT.fault,
  fault: EXIT.fault,
};

/**
 * A broken promise, told to a person. The message is one sentence that says what happened, to what, and what would work.
 * Expected failures (a red spec, a tool's error, a model's refusal) are data, not errors of this class.
 */
export class LonghaulError extends Error {
  readonly code: ErrorCode;
  readonly exitCode: number;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; exitCode?: number } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'LonghaulError';
    this.code = code;
    this.exitCode = options.exitCode ?? EXIT_OF[code];
  }
}

/** A refusal before anything was changed: exit code 2. */
export function refuse(message: string): LonghaulError {
  return new LonghaulError('refused', message);
}

/** The text of anything that was thrown, in one line. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
}

/** The `code` of a Node system error (`ENOENT`, `EEXIST`, …), or undefined. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
