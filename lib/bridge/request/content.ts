import type { OperationParameter } from "../catalog.ts";
import { formText, propertiesOf } from "./form.ts";
import { textOf } from "./values.ts";

export type ContentKind = NonNullable<OperationParameter["content"]>;

/** The text of a parameter that has a media type instead of a style (OpenAPI, Parameter Object, `content`). */
export function contentText(kind: ContentKind, argument: string, given: unknown): string {
  if (kind === "json") return JSON.stringify(given);
  return kind === "form" ? formText(propertiesOf(argument, given), {}) : textOf(given);
}
