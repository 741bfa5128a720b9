// Plays recorded answers: SSE bodies with orders to the server between their lines, and whole HTTP answers.

import type { Cut, Reply } from './scenario.js';
import { type Step, send } from './transmission.js';

type HttpReply = Extract<Reply, { kind: 'http' }>;

/** `: @sleep 20 why` between the lines of a recording. */
const ORDER = /^: @(sleep|hang|reset)\b\s*(\d+(?:\.\d+)?)?/;

/** The steps of a recorded SSE body. A body that ends inside a line breaks off there. */
export function recordedSteps(body: string, model: string): Step[] {
  const steps: Step[] = [];
  let pending = '';
  const flush = () => {
    if (pending !== '') steps.push(send(pending));
    pending = '';
  };
  for (const line of linesOf(body)) {
    const order = ORDER.exec(line);
    if (order === null) {
      pending += withModel(line, model);
      if (/^\r?\n$/.test(line)) flush();
      continue;
    }
    flush();
    if (order[1] !== 'sleep') return [...steps, end(order[1] === 'hang' ? 'hang' : 'reset')];
    steps.push({ kind: 'pause', ms: Number(order[2] ?? 0) * 1000 });
  }
  flush();
  return [...steps, end(endsInsideLine(body) ? 'reset' : 'close')];
}

/** Reads a whole answer as it is recorded: status line, headers, an empty line, the body. */
export function recordedHttp(text: string): HttpReply {
  const gap = /\r?\n\r?\n/.exec(text);
  const head = text.slice(0, gap?.index);
  const body = gap === null ? '' : text.slice(gap.index + gap[0].length);
  const [statusLine = '', ...headerLines] = head.split(/\r?\n/);
  const status = Number(/^HTTP\/\S+ (\d{3})/.exec(statusLine)?.[1]);
  if (!Number.isInteger(status)) throw new Error(`not an HTTP answer: it begins with "${statusLine}"`);
  const headers = headerLines.map(line => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { kind: 'http', status, headers: Object.fromEntries(headers), body };
}

function linesOf(body: string): string[] {
  return body.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function endsInsideLine(body: string): boolean {
  return !body.endsWith('\n') && body !== '';
}

/** A client that asked for one model and hears from another would be right to wonder. */
function withModel(line: string, model: string): string {
  if (!line.includes('"type":"message_start"')) return line;
  return line.replace(/"model":"[^"]*"/, `"model":${JSON.stringify(model)}`);
}

function end(how: Cut['how']): Step {
  return { kind: 'end', how };
}
