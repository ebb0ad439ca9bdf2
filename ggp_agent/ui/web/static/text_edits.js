// Changes of the text in a text field, which the user can undo.

/** Return an offset of the text before edits as an offset of the text after them. */
function moved(offset, edits) {
  let change = 0;
  for (const { start, end, replacement } of edits) {
    if (end <= offset) change += replacement.length - (end - start);
    else if (start < offset) change += Math.min(0, start + replacement.length - offset);
  }
  return offset + change;
}

/**
 * Apply edits as one change. The cursor stays at its word.
 * @param {HTMLTextAreaElement} area - the text field; it gets the focus.
 * @param {Array<{start: number, end: number, replacement: string}>} edits - in the order of the text, without overlaps.
 * @param {number} [cursor] - the place of the cursor after the change.
 */
export function applyEdits(area, edits, cursor = moved(area.selectionStart, edits)) {
  if (!edits.length) return;
  const [first, last] = [edits[0].start, edits[edits.length - 1].end];
  let changed = "";
  let kept = first;
  for (const { start, end, replacement } of edits) {
    changed += area.value.slice(kept, start) + replacement;
    kept = end;
  }
  const { scrollTop, scrollLeft } = area;
  area.focus();
  area.setSelectionRange(first, last);
  // Only this command keeps the list of changes that the browser can undo.
  if (!document.execCommand(changed ? "insertText" : "delete", false, changed)) {
    area.setRangeText(changed);
    area.dispatchEvent(new Event("input"));
  }
  area.setSelectionRange(cursor, cursor);
  area.scrollTop = scrollTop;
  area.scrollLeft = scrollLeft;
}
