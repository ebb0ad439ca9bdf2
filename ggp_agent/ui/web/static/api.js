// Speak with the server: JSON over HTTP, and events as they come.

/** What the server refuses, in its words. */
export class Refused extends Error {}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refused("the server does not answer; is 'ggp-agent web' still running?");
  }
  const answer = await response.json().catch(() => ({ error: `the server answers ${response.status}` }));
  if (!response.ok) throw new Refused(answer.error || `the server answers ${response.status}`);
  return answer;
}

/** Read a document. */
export const get = (path) => ask(path, {});

/** Have something changed. */
export const post = (path, body) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** Read a text, such as a rule sheet. */
export async function text(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Refused(`the server answers ${response.status}`);
  return response.text();
}

/**
 * Listen to the events of a game until the function that is returned is called.
 * The browser connects again by itself, from the number of the last event on.
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
