import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import { helpElement, helpOf } from "./help.ts";
import type { Schema } from "./schema-at.ts";
import { type Suggestion, suggestionsAt } from "./suggestions.ts";
import { placeAt } from "./yaml-place.ts";

/** Offers keys and values from the configuration's schema, as soon as there is one. */
export function completionSource(schemaOf: () => Schema | undefined): CompletionSource {
  return (context) => {
    const schema = schemaOf();
    return schema === undefined ? null : complete(schema, context);
  };
}

function complete(schema: Schema, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  const { doc } = state;
  const line = doc.lineAt(pos);
  const column = pos - line.from;
  const place = placeAt(doc.toString().split("\n"), line.number - 1, column);
  if (place === undefined || (place.typed === "" && !explicit)) return null;
  const suggestions = suggestionsAt(schema, place);
  if (suggestions.length === 0) return null;
  // `key:` alone is no key of YAML before a space follows.
  const isAfterColon = place.kind === "value" && place.typed === "" && /:$/.test(line.text.slice(0, column));
  const options = suggestions.map((one) => completionOf(one, isAfterColon ? " " : ""));
  return { from: pos - place.typed.length, options, validFor: /^[\w.-]*$/ };
}

function completionOf({ label, text, detail, schema, isRequired }: Suggestion, before: string): Completion {
  const help = schema === undefined ? [] : helpOf(schema);
  return {
    ...{ label, apply: before + text },
    ...(detail !== undefined && { detail }),
    ...(isRequired && { boost: 1 }),
    ...(help.length > 0 && { info: () => helpElement(help) }),
  };
}
