// What the journal says of pages: meant, sent, failed.

export type PageEvent =
  /** A page was decided on; its text lies in the outbox. `key` names its cause. */
  | { type: 'page.intent'; key: string; title: string }
  /** A channel took it. */
  | { type: 'page.sent'; key: string; channel: string }
  /** A channel did not take it now; it stays in the outbox. */
  | { type: 'page.failed'; key: string; channel: string; error: string };

/** What a journal's record has in any case. */
export interface RecordStamp {
  type: string;
  at: string;
}

/** The record as one of a page, or null. */
export function asPageRecord(record: RecordStamp): (PageEvent & RecordStamp) | null {
  return record.type.startsWith('page.') ? (record as PageEvent & RecordStamp) : null;
}
