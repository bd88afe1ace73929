import type { AuditEvent } from "../stores/audit-log.ts";

/** Characters of a text of the caller's that are kept: a store takes records of a limited size. */
const LENGTH = 500;

type ReadFields = Pick<AuditEvent, "type" | "app" | "tool" | "details">;

/** What the record of a resource that was read from an app's upstream says of it. */
export function resourceRead(app: string, uri: string): ReadFields {
  return { type: "resource.read", app, tool: app, details: { resource: kept(uri) } };
}

/** What the record of a prompt that was got from an app's upstream says of it. */
export function promptGot(app: string, name: string): ReadFields {
  return { type: "prompt.got", app, tool: app, details: { prompt: kept(name) } };
}

/** Half of a character, as the caller may send it or the cut leave it, is none that every store takes. */
function kept(text: string): string {
  return text.slice(0, LENGTH).toWellFormed();
}
