// The view of a running game; its first document decides whether the game hides information.
import { get, listen, post } from "./api.js";
import { el, fill, trouble } from "./dom.js";
import { LiveGame } from "./live_game.js";

/** The view. */
export async function playView(place, id, token = "") {
  await get(`/api/games/${id}`); // throws an error if the game does not exist
  const seat = await post(`/api/games/${id}/seat`, { token });
  let play = null;
  let training = null; // of the learned network; it may arrive before a position
  const title = el("h1", {}, "…");
  const state = el("p.state", {}, "Loading the rules … large rules take up to two minutes.");
  fill(place, el("div.head", {}, title), state);

  function take(hides, document_) {
    const first = !play;
    if (first) play = new LiveGame(place, id, hides, { ...seat, token });
    play.took(document_);
    if (first && training) play.trained(training);
  }

  function failed({ message }) {
    trouble(message);
    if (play) return;
    title.textContent = "This game cannot be played";
    fill(state, el("a", { href: "#/" }, "Choose another game"));
  }

  const stop = listen(id, {
    position: (document_) => take(false, document_),
    observation: (document_) => take(true, document_),
    // Of these, only the ones after the current position are shown.
    thoughts: (document_) => play && play.thought(document_),
    hint: (document_) => play && play.hinted(document_),
    strategy: (document_) => play && play.advised(document_),
    learned: (document_) => {
      training = document_;
      if (play) play.trained(document_);
    },
    failed,
    note: (document_) => trouble(document_.message),
  }, (yes, forever) => play && play.connected(yes, forever));
  const press = (event) => play && play.pressed(event);
  addEventListener("keydown", press);
  return () => {
    stop();
    removeEventListener("keydown", press);
  };
}
