// Short sounds for a move and for the end of a game, made by the browser. They are off until the user switches them on.
import { el } from "./dom.js";

const KEPT = "ggp-agent sounds";
// The tones of each sound: frequency in hertz, and start and duration in seconds.
const MOVE = [[520, 0, 0.09]];
const END = [[392, 0, 0.16], [494, 0.15, 0.16], [587, 0.3, 0.32]];
const VOLUME = 0.12;
// Time in seconds in which a tone reaches its volume; a tone without it begins with a click.
const ATTACK = 0.008;

let context = null; // of all sounds of the page; a browser limits the number of contexts
let used = false; // whether the user has clicked or pressed a key; browsers do not allow sounds before
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => { used = true; }, { capture: true, once: true });

/** Play tones; nothing before the first click or key on the page. */
function play(tones) {
  if (!used) return;
  context ||= new AudioContext();
  context.resume();
  for (const [frequency, start, duration] of tones) {
    const from = context.currentTime + start;
    const tone = new OscillatorNode(context, { type: "triangle", frequency });
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(VOLUME, from + ATTACK);
    volume.gain.linearRampToValueAtTime(0, from + duration);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(from + duration);
  }
}

/** The switch for the sounds of a game; the browser stores its value. */
export class Sounds {
  constructor() {
    this.box = el("input", { type: "checkbox", id: "sounds", checked: localStorage.getItem(KEPT) === "on" });
    this.box.addEventListener("change", () => {
      localStorage.setItem(KEPT, this.box.checked ? "on" : "off");
      this.move();
    });
    this.element = el("label.check", { for: "sounds" }, this.box, "Sounds");
  }

  /** Play the sound of a move, if sounds are on. */
  move() {
    if (this.box.checked) play(MOVE);
  }

  /** Play the sound of the end of a game, if sounds are on. */
  end() {
    if (this.box.checked) play(END);
  }
}
