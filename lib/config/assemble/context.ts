import type { Path } from "../path.ts";
import type { ConfigurationDocument } from "../schema/document.ts";

/** `apps[]` of a valid document. */
export type AppDocument = ConfigurationDocument["apps"][number];
export type BridgeDocument = Extract<AppDocument, { type: "mcpBridge" }>;
export type ProxyDocument = Extract<AppDocument, { type: "mcpProxy" }>;
export type WebAppDocument = Extract<AppDocument, { type: "proxy" }>;
/** Of an app whose tools agents call. */
export type McpAppDocument = BridgeDocument | ProxyDocument;

/** Notes what is wrong at a place of the document. */
export type Report = (path: Path, message: string) => void;

/** The value at a place as a message may show it: how its placeholder is written, else `value`. */
export type Shown = (path: Path, value: string) => string;

/** The members that are there: a configuration has no keys without values. */
export function present<Values extends object>(
  values: Values,
): { [Key in keyof Values]?: Exclude<Values[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Values]?: Exclude<Values[Key], undefined>;
  };
}
