// Takes the time limits of Node's fetch out of the way: it gives up on any answer that is silent for five minutes.

/** Where fetch keeps the dispatcher that it uses; the only way to reach it without a package of its own. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  dispatch(options: Record<string, unknown>, handler: unknown): boolean;
}

/**
 * Options for one `fetch` that make the idle and total limits the only ones. The dispatcher that is installed does the
 * work, so a proxy set up there stays in use; where there is none to be found, fetch keeps its own limits.
 */
export function untimedFetchOptions(): Record<string, unknown> {
  // Touching a fetch class loads fetch, which installs the dispatcher.
  new Headers();
  if (!installed()) return {};
  const dispatcher: Dispatcher = {
    dispatch: (options, handler) =>
      installed()?.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler) ?? false,
  };
  return { dispatcher };
}

function installed(): Dispatcher | undefined {
  return Reflect.get(globalThis, GLOBAL_DISPATCHER);
}
