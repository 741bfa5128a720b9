// What a command prints on a terminal, with its colours. `script` makes the terminal; Linux and macOS have one each.

import { spawn } from 'node:child_process';

/** Resolves to `{ code, text }`; lines in `text` end in a line feed alone. */
export function onTerminal(command, { cwd, columns }) {
  const line = `stty cols ${columns} rows 50; exec ${command.map(quoted).join(' ')}`;
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', line] : ['-qfec', line, '/dev/null'];
  // An open standard input: at its end `script` would end the command.
  const child = spawn('script', args, { cwd, env: environment(), stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', chunk => {
    text += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => {
      child.stdin.destroy();
      resolve({ code, text: text.replaceAll('\r', '') });
    });
  });
}

function environment() {
  const { NO_COLOR: _, ...rest } = process.env;
  return { ...rest, TERM: 'xterm-256color' };
}

function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
