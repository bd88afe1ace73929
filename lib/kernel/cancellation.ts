/** The reason of an abort by an agent that gave up a call, where it said something of it to whoever carries the call out. */
export class GivenUp extends Error {
  /** One short word, for the record. */
  readonly why: string;
  readonly said: string;

  /** @param why one short word, for the record */
  constructor(why: string, said: string) {
    super("The call was given up.");
    this.name = "GivenUp";
    this.why = why;
    this.said = said;
  }
}

/** In one of few words; a connection that is gone says nothing of its own. */
export function whyGivenUp({ reason }: AbortSignal): string {
  const why = reason instanceof GivenUp ? reason.why : reason;
  return typeof why === "string" && /^[a-z_]+$/.test(why) ? why : "agent_left";
}

/** Undefined where nothing was said. */
export function saidOnGivingUp({ reason }: AbortSignal): string | undefined {
  return reason instanceof GivenUp ? reason.said : undefined;
}
