// The dialog that renames the name at the cursor.
import { button, el, fill, labelled, say } from "./dom.js";

/**
 * Show the dialog for the name at the cursor; the server finds the places to be changed.
 * @param {SheetNames} names - the names of the text.
 * @param {(edits: Object[]) => void} apply - called with the changes of the text.
 * @throws {Refused} there is no name, or it cannot be renamed.
 */
export async function renameDialog(names, apply) {
  const { area } = names;
  const place = await names.find("rename");
  if (!place || document.querySelector("dialog[open]")) return;
  const old = area.value.slice(...place.word);
  const { selectionStart: cursor, scrollTop, scrollLeft } = area;
  let edits = [];
  const wrong = el("p.wrong", { role: "alert" });
  const name = el("input", { type: "text", value: old, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 200 });
  const dialog = el("dialog", { "aria-labelledby": "rename-title" });
  const rename = async (event) => {
    event.preventDefault();
    if (!name.value || name.value === old) {
      dialog.close();
      return;
    }
    try {
      const found = await names.find("rename", name.value);
      if (!found || !dialog.open) return;
      edits = found.edits;
      dialog.close();
    } catch (error) {
      wrong.textContent = error.message;
      name.select();
    }
  };
  dialog.addEventListener("close", () => {
    dialog.remove();
    // Chromium places the cursor at the start of the text when a dialog returns the focus.
    area.focus();
    area.setSelectionRange(cursor, cursor);
    Object.assign(area, { scrollTop, scrollLeft });
    apply(edits);
    if (edits.length) say(`${old} is renamed`);
  });
  fill(
    dialog,
    el("form", { on: { submit: rename } },
      el("h2", { id: "rename-title" }, `Rename ${old}`),
      labelled("New name", name),
      wrong,
      el("div.buttons", {}, el("button.main", { type: "submit" }, "Rename"), button("Cancel", () => dialog.close()))),
  );
  document.body.append(dialog);
  dialog.showModal();
  name.select();
}
