/** What this server says of itself in both generations. */
export const SERVER_INFO = { name: "conformance upstream", version: "1.0.0" } as const;

export const SERVER_CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
} as const;
