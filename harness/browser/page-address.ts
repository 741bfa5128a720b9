// Which addresses the agent may open: its own app and what else it runs on this machine.

export type CheckedAddress = { ok: true; url: string } | { ok: false; problem: string };

/** `address` may be relative to the app's, and may lack `http://`. */
export function checkAddress(address: string, baseUrl: string): CheckedAddress {
  const text = address.trim();
  const hostFirst = /^(localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0)(:\d+)?([/?#]|$)/i.test(text);
  const url = parse(hostFirst ? `http://${text}` : text, baseUrl);
  if (url === null) {
    return {
      ok: false,
      problem: `"${address}" is not an address. Use a path of the app such as /about, or a whole address such as ${baseUrl}/about.`,
    };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return {
      ok: false,
      problem: `"${address}" cannot be opened: only http and https addresses can. Files of the app are seen through its server.`,
    };
  }
  // What a server prints when it listens everywhere; no browser opens it.
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (isLoopback(url.hostname) || url.hostname === new URL(baseUrl).hostname)
    return { ok: true, url: url.href };
  return {
    ok: false,
    problem: `"${address}" is another host. This browser opens the app (${baseUrl}) and other servers of this machine (127.0.0.1 and localhost, any port).`,
  };
}

function parse(text: string, baseUrl: string): URL | null {
  try {
    return new URL(text, baseUrl);
  } catch {
    return null;
  }
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
  );
}
