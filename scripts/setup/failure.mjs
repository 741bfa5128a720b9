// A step that failed: what happened, what the command said last, what a person can do.

export class SetupFailure extends Error {
  constructor(what, { output = '', byHand }) {
    super(what);
    this.name = 'SetupFailure';
    this.output = output;
    this.byHand = byHand;
  }
}

/** The paragraph for the person, from anything that was thrown. */
export function tellFailure(error) {
  if (!(error instanceof SetupFailure)) {
    return `Set-up failed: ${error.message}\nWhat to do: see that this folder is writable and the disk is not full, then run the command again.`;
  }
  const output = error.output ? `:\n${error.output.replace(/^/gm, '    ')}\n` : '.\n';
  return `Set-up failed: ${error.message}${output}What to do: ${error.byHand}`;
}

/** The end of a command's output as a person wants to see it: no colours, empty lines or stacks of calls. */
export function lastLines(output, count) {
  const plain = output.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
  const lines = plain.split(/\r?\n|\r/).filter(line => !/^\s*$|^\s+at /.test(line));
  return lines.slice(-count).join('\n');
}
