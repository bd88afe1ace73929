import { promptGot, resourceRead } from "../../../audit/read-fields.ts";
import type { AuditedSubject } from "../../audit-call.ts";
import type { UpstreamUse } from "./use.ts";

/** What the audit record tells of it; undefined: what reads nothing is not recorded. */
export function auditedUse({ app, method, subject }: UpstreamUse): AuditedSubject | undefined {
  if (method === "resources/read" && subject.kind === "resource")
    return { ...resourceRead(app.name, subject.uri), appConfiguration: app };
  if (method === "prompts/get" && subject.kind === "prompt")
    return { ...promptGot(app.name, subject.name), appConfiguration: app };
  return undefined;
}
