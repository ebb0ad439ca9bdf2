// Requests to the server: JSON over HTTP, and server-sent events.

/** The error message of a refused request. */
export class Refused extends Error {}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refused("the server does not answer; is 'ggp-agent web' still running?");
  }
  const answer = await response.json().catch(() => ({ error: `the server returned status ${response.status}` }));
  if (!response.ok) throw new Refused(answer.error || `the server returned status ${response.status}`);
  return answer;
}

/** Get a document. */
export const get = (path) => ask(path, {});

/** Send a change. */
export const post = (path, body) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** Get a text, such as a rule sheet. */
export async function text(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Refused(`the server returned status ${response.status}`);
  return response.text();
}

/**
 * Receive the events of a game until the returned function is called.
 * After a lost connection the browser reconnects, and receives the events after the last one.
 */
export function listen(game, listeners, connected) {
  const source = new EventSource(`/api/games/${game}/events`);
  for (const [kind, listener] of Object.entries(listeners)) {
    source.addEventListener(kind, (event) => listener(JSON.parse(event.data)));
  }
  source.addEventListener("open", () => connected(true, false));
  source.addEventListener("error", () => connected(false, source.readyState === EventSource.CLOSED));
  return () => source.close();
}
