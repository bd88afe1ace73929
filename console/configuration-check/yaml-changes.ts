import { pathText } from "../../lib/config/path.ts";
import { printed } from "../../lib/config/yaml/editable.ts";
import { type Change, changedData, dataOf, EditRefused, editable, isSame, removed } from "./yaml-data.ts";
import { splice } from "./yaml-splice.ts";

/**
 * The text with some places changed, and every other character as it was: comments, order, anchors and quotes stay. What comes out says
 * exactly what was asked for, or nothing is changed.
 *
 * @throws EditRefused
 */
export function withChanges(text: string, changes: readonly Change[]): string {
  const breaks = text.match(/\r?\n/g) ?? [];
  const isWindows = breaks.length > 0 && breaks.every((one) => one === "\r\n");
  const done = changes.reduce(withChange, isWindows ? text.replaceAll("\r\n", "\n") : text);
  return isWindows ? done.replaceAll("\n", "\r\n") : done;
}

function withChange(text: string, change: Change): string {
  const before = dataOf(text);
  const wanted = changedData(before, change);
  if (isSame(before, wanted)) return text;
  const spliced = splice(text, before, change);
  if (spliced !== undefined && says(spliced, wanted)) return spliced;
  const whole = reprinted(text, before, change);
  if (whole !== undefined && says(whole, wanted)) return whole;
  throw new EditRefused(
    `${pathText(change.path)} cannot be changed by a form: it is shared by an anchor, or written in an unusual way. Change it in the text.`,
  );
}

function says(text: string, wanted: unknown): boolean {
  try {
    return isSame(dataOf(text), wanted);
  } catch (error) {
    if (error instanceof EditRefused) return false;
    throw error;
  }
}

/** The last way: the tree is changed and printed, so that blank lines and indentation may change elsewhere. */
function reprinted(text: string, data: unknown, change: Change): string | undefined {
  const document = editable(text);
  try {
    if (change.value === undefined) document.deleteIn(removed(data, change));
    else document.setIn(change.path, document.createNode(change.value));
    return printed(document);
  } catch {
    return undefined; // An alias is on the way.
  }
}
