import type { Diagnostic } from "@codemirror/lint";
import type { Text } from "@codemirror/state";
import type { CheckMessage } from "../../configuration-check/protocol.ts";

/** What the editor marks: from where a message is about, to the end of the line. Those of other documents have no line here. */
export function diagnosticsOf(document: Text, messages: readonly CheckMessage[]): readonly Diagnostic[] {
  return messages
    .filter(({ isHere }) => isHere)
    .map(({ line, column, tone, path, message }) => {
      // The text may have become shorter since it was checked.
      const place = document.line(Math.min(line, document.lines));
      const from = Math.min(place.from + column - 1, place.to);
      const words = path === "" ? message : `${path}: ${message}`;
      return { from, to: place.to, severity: tone === "mistake" ? "error" : "warning", message: words };
    });
}
