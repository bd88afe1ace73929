/**
 * How an upstream answers for a while. `hang`: not at all. `half`: with half of what it would say, and a connection that breaks.
 * `die`: it ends itself in the middle of the next long answer. `forget`: it begins sessions and does not know them any more.
 */
export const MOODS = ["hang", "html", "bad_gateway", "redirect", "broken_json", "half", "die", "forget"] as const;

export type Mood = "normal" | (typeof MOODS)[number];

/** What the process is started with, as JSON. */
export interface UpstreamSettings {
  readonly name: string;
  readonly port: number;
  readonly generation: "session" | "stateless";
  readonly isSlow: boolean;
  /** Where it writes a line for each request that it takes. */
  readonly logFile: string;
}

/** A request that an upstream took; the line is written before anything is done. */
export interface Taken {
  readonly app: string;
  /** Of the process, or the time between two in which it forgot: none knows the sessions of another. */
  readonly life: string;
  readonly method: string;
  /** As the gateway said it; empty: not at all. */
  readonly principal: string;
  readonly session?: string;
  readonly nonce?: string;
}
