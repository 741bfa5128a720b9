// What was thrown, as a sentence for a person and an exit code for scripts.

import { EXIT, LonghaulError, messageOf, systemCode } from './errors.js';

export interface Failure {
  message: string;
  exitCode: number;
}

/** Only a fault of ours comes with its stack. */
export function failureOf(error: unknown): Failure {
  return error instanceof LonghaulError ? error : (systemFailure(error) ?? fault(error));
}

/** A file or folder that cannot be used is a person's matter and no fault of ours. */
function systemFailure(error: unknown): Failure | null {
  const exitCode = EXIT_OF_SYSTEM_CODE[systemCode(error) ?? ''];
  return exitCode === undefined ? null : { message: `${messageOf(error)}.`, exitCode };
}

const EXIT_OF_SYSTEM_CODE: Readonly<Record<string, number>> = {
  EACCES: EXIT.refused,
  EPERM: EXIT.refused,
  EROFS: EXIT.refused,
  ENOTDIR: EXIT.refused,
  EEXIST: EXIT.refused,
  ELOOP: EXIT.refused,
  ENAMETOOLONG: EXIT.refused,
  ENOSPC: EXIT.needsPerson,
  EDQUOT: EXIT.needsPerson,
  EIO: EXIT.needsPerson,
};

function fault(error: unknown): Failure {
  const stack = error instanceof Error && error.stack ? `\n${error.stack}` : '';
  return { message: `a fault of ours: ${messageOf(error)}${stack}`, exitCode: EXIT.fault };
}
