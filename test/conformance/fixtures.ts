import { startGoFixture } from "./fixtures/go.ts";
import { startTypeScriptFixture } from "./fixtures/typescript.ts";
import type { Revision } from "./results.ts";
import { REVISIONS } from "./results.ts";
import type { RequestLog } from "./upstream/request-log.ts";
import { startConformanceUpstream } from "./upstream/server.ts";

export const FIXTURES = ["own", "typescript", "go", "go-stateless"] as const;
export type FixtureName = (typeof FIXTURES)[number];

/** An MCP server that has whatever the suite's scenarios ask for. */
export interface Fixture {
  readonly name: FixtureName;
  /** In messages. */
  readonly title: string;
  /** What it is judged in. */
  readonly revisions: readonly Revision[];
  /** Directly, whatever is scored passes without a warning; others are only compared with themselves. */
  readonly isStrict: boolean;
  /** @throws Missing where this machine does not have what it needs */
  start(options: FixtureOptions): Promise<RunningFixture>;
}

export interface FixtureOptions {
  /** A folder of its own for what is built. */
  readonly home: string;
  readonly log?: RequestLog | undefined;
}

export interface RunningFixture {
  /** Of its endpoint. */
  readonly url: string;
  stop(): Promise<void>;
}

const ALL: Readonly<Record<FixtureName, Omit<Fixture, "name">>> = {
  own: {
    title: "our own server",
    revisions: REVISIONS,
    isStrict: true,
    start: ({ log }) => startConformanceUpstream(log === undefined ? {} : { log }),
  },
  typescript: {
    title: "the TypeScript SDK's fixture",
    revisions: REVISIONS,
    isStrict: false,
    start: ({ home }) => startTypeScriptFixture(home),
  },
  go: {
    title: "the Go SDK's fixture with sessions",
    // With sessions it refuses the revision that has none.
    revisions: ["2025-11-25"],
    isStrict: false,
    start: ({ home }) => startGoFixture(home, ["-stateless=false"]),
  },
  "go-stateless": {
    title: "the Go SDK's fixture without sessions",
    revisions: REVISIONS,
    isStrict: false,
    start: ({ home }) => startGoFixture(home, []),
  },
};

export function fixtures(names: readonly FixtureName[]): readonly Fixture[] {
  return names.map((name) => ({ name, ...ALL[name] }));
}
