import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/shared-run/setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    allowOnly: false,
    // The peer's advice to its own operators.
    onConsoleLog: (log) => !/oidc-provider (NOTICE|WARNING)/.test(log),
  },
});
