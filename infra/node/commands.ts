import type { Command } from "./io.ts";

/** Each command is loaded when it is called, so that `-version` does not load the server. */
export const COMMANDS: Readonly<Record<string, () => Promise<{ readonly run: Command }>>> = {
  serve: () => import("./commands/serve.ts"),
  init: () => import("./commands/init.ts"),
  validate: () => import("./commands/validate.ts"),
  migrate: () => import("./commands/migrate.ts"),
  compile: () => import("./commands/compile.ts"),
  publish: () => import("./commands/publish.ts"),
  "verify-bundle": () => import("./commands/verify-bundle.ts"),
  diff: () => import("./commands/diff.ts"),
  tools: () => import("./commands/tools.ts"),
  explain: () => import("./commands/explain.ts"),
  "test-policy": () => import("./commands/test-policy.ts"),
  schema: () => import("./commands/schema.ts"),
  client: () => import("./commands/client.ts"),
  stop: () => import("./commands/stop.ts"),
  resume: async () => ({ run: (await import("./commands/stop.ts")).runResume }),
  stops: async () => ({ run: (await import("./commands/stop.ts")).runList }),
  pins: () => import("./commands/pins.ts"),
  approvals: () => import("./commands/approvals.ts"),
  connections: () => import("./commands/connections.ts"),
  vault: () => import("./commands/vault.ts"),
  backup: () => import("./commands/backup.ts"),
  owner: () => import("./commands/owner.ts"),
  token: () => import("./commands/token.ts"),
  version: () => import("./commands/version.ts"),
};
