// The part of a journal that is one session. Pure but for remembering whether it lies inside.

import type { JournalRecord } from '../journal/records.js';

/** A filter for records in order: true from the session's begin to its end, whatever other records lie between. */
export function sessionPart(session: number): (record: JournalRecord) => boolean {
  let inside = false;
  return record => {
    if (record.type === 'session.begin') inside = record.session === session;
    const within = inside;
    if (isEndOf(record, session)) inside = false;
    return within;
  };
}

/** The record after which nothing more of the session comes. */
export function isEndOf(record: JournalRecord, session: number): boolean {
  return (record.type === 'session.end' || record.type === 'session.abandoned') && record.session === session;
}
