import type { BridgeTool } from "../catalog.ts";
import type { ReportProgress } from "../progress.ts";

/** What an answer is read with. */
export interface Reading {
  readonly tool: BridgeTool;
  readonly response: Response;
  readonly progress?: ReportProgress;
  /** The result is not held against the tool's output schema: its reader was never told of one. */
  readonly lenient?: boolean;
  /** Why the exchange was aborted; undefined while it was not. */
  readonly interruption?: () => "cancelled" | "timeout" | undefined;
}

/** An answer that began and did not come to its end. */
export class BrokenOffError extends Error {
  constructor() {
    super("The answer broke off.");
    this.name = "BrokenOffError";
  }
}
