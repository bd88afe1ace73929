import type { LocatedTool } from "./tool-index.ts";

/** What the upstream learns of the caller: header fields for its request. */
export interface OutboundCredential {
  readonly headers: Readonly<Record<string, string>>;
}

/** `unprotected`: the upstream learns nothing of the agent (checklist 24). The configuration accepts no other type. */
export function obtainCredential({ app }: LocatedTool): OutboundCredential {
  const { type } = app.outbound;
  switch (type) {
    case "unprotected":
      return NONE;
    default:
      return unsupported(type);
  }
}

const NONE: OutboundCredential = { headers: {} };

/** Does not compile once the configuration has a type that is not decided above. */
function unsupported(type: never): never {
  throw new Error(`outbound authorization of the type ${String(type)} is not supported`);
}
