import type { EditorState } from "@codemirror/state";
import type { HoverTooltipSource } from "@codemirror/view";
import { type HelpLine, helpElement, helpOf } from "./help.ts";
import type { Schema } from "./schema-at.ts";
import { schemaOfKey } from "./suggestions.ts";
import { placeAt } from "./yaml-place.ts";

/** Says what the key under the pointer is for. */
export function hoverSource(schemaOf: () => Schema | undefined): HoverTooltipSource {
  return ({ state }, pos) => {
    const help = keyHelp(state, pos, schemaOf());
    if (help === undefined) return null;
    return { pos: help.from, end: help.to, above: true, create: () => ({ dom: helpElement(help.lines) }) };
  };
}

/** What is said of the key at a position, and where the key stands. */
function keyHelp(
  state: EditorState,
  pos: number,
  schema: Schema | undefined,
): { readonly from: number; readonly to: number; readonly lines: readonly HelpLine[] } | undefined {
  const line = state.doc.lineAt(pos);
  const [, before = "", key = ""] = /^(\s*(?:-\s+)*)([^\s#:][^#:]*):(?:\s|$)/.exec(line.text) ?? [];
  const [from, to] = [line.from + before.length, line.from + before.length + key.length];
  if (schema === undefined || key === "" || pos < from || pos > to) return undefined;
  const place = placeAt(state.doc.toString().split("\n"), line.number - 1, before.length + key.length + 1);
  const found = place === undefined ? undefined : schemaOfKey(schema, place);
  const lines = found === undefined ? [] : helpOf(found);
  return lines.length === 0 ? undefined : { from, to, lines };
}
