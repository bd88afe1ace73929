import { auditEvent } from "../../lib/audit/event.ts";
import type { Dependencies } from "../../lib/dependencies.ts";

/** Writes to the audit log which configuration is in use: at start, revision 1, and whenever another one replaces it. */
export async function recordConfiguration(dependencies: Dependencies): Promise<void> {
  const { revision, configuration } = dependencies.configuration();
  const details = { version: configuration.version, revision: String(revision) };
  const event = auditEvent(dependencies, { type: "config.loaded", outcome: "success", details });
  await dependencies.stores.auditLog.append(event);
}
