// The flags that every Chromium of ours is started with, each with its reason.

interface LaunchFlag {
  flag: string;
  why: string;
  /** Only where Longhaul runs as root. */
  rootOnly?: true;
}

/**
 * Playwright sets some of these itself (`--no-sandbox` for everybody, unless `chromiumSandbox` is asked for); here they
 * are sure, whichever version of it is installed.
 */
export const LAUNCH_FLAGS: readonly LaunchFlag[] = [
  {
    flag: '--no-sandbox',
    why: "Chromium's own sandbox refuses to work for root, and what it would wall off is no more trusted than the app's server, which runs beside it.",
    rootOnly: true,
  },
  { flag: '--disable-gpu', why: 'Servers have none; looking for one costs time and log lines.' },
  { flag: '--disable-quic', why: 'UDP does not pass rooms and proxies; a try costs seconds.' },
  { flag: '--no-first-run', why: 'Every profile is new; its welcome pages are not part of the app.' },
  { flag: '--disable-background-networking', why: 'Nothing but the app may be asked for.' },
  { flag: '--disable-component-update', why: 'The browser of a proof does not change while it runs.' },
  { flag: '--disable-sync', why: 'No account, no traffic of one.' },
];

/** Command-line flags for Chromium. */
export function launchFlags({ root }: { root: boolean }): string[] {
  return LAUNCH_FLAGS.filter(({ rootOnly }) => root || !rootOnly).map(({ flag }) => flag);
}

/** Whether this process is root's; never so on systems without user ids. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
