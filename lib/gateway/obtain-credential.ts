import type { LocatedTool } from "./tool-index.ts";

/** What the upstream gets to know about the caller. */
export interface OutboundCredential {
  readonly type: "none";
}

/** `unprotected`: the upstream gets nothing of the agent's (checklist 24). The configuration accepts no other type. */
export function obtainCredential({ app }: LocatedTool): OutboundCredential {
  switch (app.outbound.type) {
    case "unprotected":
      return { type: "none" };
  }
}
