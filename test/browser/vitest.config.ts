import { defineConfig } from "vitest/config";

/** Journeys in a real Chromium, apart from `npm test`: unpacking and starting it takes longer than all they do. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    globalSetup: ["console/support/build.ts"],
    testTimeout: 180_000,
    // Longer than Playwright waits for a browser, which then says why it did not start.
    hookTimeout: 240_000,
    // As Playwright waits for what it looks for; a second, the default, is little for a page on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    fileParallelism: false,
    allowOnly: false,
    onConsoleLog: (log) => !/oidc-provider (NOTICE|WARNING)/.test(log),
  },
});
