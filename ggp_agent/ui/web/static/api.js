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
 * After a lost connection the browser reconnects, and receives the events after the last one. Only a visible page has a
 * connection, because a browser opens at most six to a server. A page that becomes visible receives the latest events.
 */
export function listen(game, listeners, connected) {
  let source = null;
  function update() {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      const opened = source = new EventSource(`/api/games/${game}/events`);
      for (const [kind, listener] of Object.entries(listeners)) opened.addEventListener(kind, (event) => listener(JSON.parse(event.data)));
      opened.addEventListener("open", () => connected(true, false));
      opened.addEventListener("error", () => connected(false, opened.readyState === EventSource.CLOSED));
    }
  }
  document.addEventListener("visibilitychange", update);
  update();
  return () => {
    document.removeEventListener("visibilitychange", update);
    source?.close();
  };
}
