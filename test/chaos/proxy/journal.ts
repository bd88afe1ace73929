import { closeSync, openSync, writeSync } from "node:fs";
import type { ToolName } from "./upstream/texts.ts";

/** What an agent asks for. `list` names nobody, and so has no record. */
export interface Call {
  readonly nonce: string;
  /** Of the agent. */
  readonly agent: string;
  /** Of the agent's session, or of this call alone where there is none: what upstreams keep as label. */
  readonly label: string;
  readonly principal: string;
  /** Of the upstream. */
  readonly app: string;
  readonly what: ToolName | "read" | "list_tools" | "list_resources";
}

/** What came back. `lost`: the connection broke, `unsent`: nobody listened, `left`: the agent did not wait. */
export type Ending =
  | { readonly kind: "result" }
  /** `isUpstreams`: the tool itself says that it failed. */
  | { readonly kind: "failed_result"; readonly isUpstreams: boolean; readonly text: string }
  | { readonly kind: "error"; readonly status: number; readonly code: number; readonly text: string }
  | { readonly kind: "wrong"; readonly text: string }
  | { readonly kind: "lost" | "unsent" | "left" | "timeout"; readonly text: string };

/** A call and what became of it; times in milliseconds since the epoch. */
export interface Made extends Call {
  readonly from: number;
  readonly to: number;
  readonly ending: Ending;
}

/** What was done to the gateway (`kill`) or an upstream. */
export interface Disturbance {
  readonly kind: string;
  /** `gateway`, or the upstream's name. */
  readonly whom: string;
  readonly from: number;
  /** When it was over, with everything running again. */
  readonly to: number;
}

/** Something on a session's own stream. */
export interface Heard {
  /** Of the session on whose stream it was. */
  readonly session: string;
  /** The session that it was about. */
  readonly label: string;
}

export interface Journal {
  readonly calls: readonly Made[];
  readonly disturbances: readonly Disturbance[];
  readonly heard: readonly Heard[];
  /** Of agents' sessions that the gateway did not know any more. */
  readonly sessionsLost: readonly string[];
}

export interface JournalWriter {
  readonly journal: Journal;
  made(call: Made): void;
  heard(heard: Heard): void;
  lostSession(session: string): void;
  disturb<T>(kind: string, whom: string, cause: () => Promise<T>): Promise<T>;
  close(): void;
}

/** Everything that is told goes to a file, one JSON object a line, also when the run does not come to its end. */
export function journalWriter(file: string): JournalWriter {
  const calls: Made[] = [];
  const disturbances: Disturbance[] = [];
  const heard: Heard[] = [];
  const sessionsLost: string[] = [];
  const output = openSync(file, "w");
  const write = (entry: object): void => void writeSync(output, `${JSON.stringify(entry)}\n`);
  return {
    journal: { calls, disturbances, heard, sessionsLost },
    made: (call) => {
      calls.push(call);
      write(call);
    },
    heard: (one) => void heard.push(one),
    lostSession: (session) => {
      sessionsLost.push(session);
      write({ sessionLost: session, at: Date.now() });
    },
    disturb: async (kind, whom, cause) => {
      const from = Date.now();
      try {
        return await cause();
      } finally {
        const disturbance = { kind, whom, from, to: Date.now() };
        disturbances.push(disturbance);
        write(disturbance);
      }
    },
    close: () => closeSync(output),
  };
}
