// Answers the native dialogs of pages at once, as asked or by default: an open one blocks its page.

import type { Dialog } from 'playwright';

export interface DialogAnswer {
  accept: boolean;
  /** For a prompt; without it, what the page put in. */
  text?: string;
}

export class PageDialogs {
  readonly #answers: DialogAnswer[] = [];

  /** Each is for one confirm, prompt or beforeunload, in this order. */
  plan(answer: DialogAnswer): void {
    this.#answers.push(answer);
  }

  get planned(): number {
    return this.#answers.length;
  }

  /** Returns what a caller should know of it. */
  answer(dialog: Dialog): string {
    const type = dialog.type();
    // An alert has one button, so no answer is used up by it.
    const asked = type === 'alert' ? undefined : this.#answers.shift();
    const accept = asked?.accept ?? (type === 'alert' || type === 'beforeunload');
    const text = type === 'prompt' ? (asked?.text ?? dialog.defaultValue()) : undefined;
    // The page may be gone by now.
    (accept ? dialog.accept(text) : dialog.dismiss()).catch(() => {});
    return describe(dialog, { accept, text, asked: asked !== undefined });
  }
}

function describe(
  dialog: Dialog,
  { accept, text, asked }: { accept: boolean; text: string | undefined; asked: boolean },
): string {
  const type = dialog.type();
  const message = dialog.message();
  const what = message === '' ? `Dialog ${type}` : `Dialog ${type} ${JSON.stringify(message)}`;
  if (type === 'alert') return `${what}: accepted.`;
  const how = accept
    ? text === undefined
      ? 'accepted'
      : `accepted with ${JSON.stringify(text)}`
    : 'dismissed';
  if (asked) return `${what}: ${how}, as asked.`;
  const other = accept ? 'dismiss' : 'accept';
  return `${what}: ${how}, which is the default. To ${other} the next one, call dialog before the action that opens it.`;
}
