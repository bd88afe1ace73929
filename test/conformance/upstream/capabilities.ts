import { TASKS_EXTENSION } from "./tasks/extension.ts";

/** What this server says of itself in both generations. */
export const SERVER_INFO = { name: "conformance upstream", version: "1.0.0" } as const;

export const SERVER_CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
} as const;

/** Without a handshake there are tasks besides. */
export const STATELESS_CAPABILITIES = { ...SERVER_CAPABILITIES, extensions: { [TASKS_EXTENSION]: {} } } as const;
