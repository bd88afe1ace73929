import type { Forwarded } from "./forwarded.ts";
import type { AnswerFacts } from "./wire/answer-facts.ts";

/** What an upstream answered, ready for the agent, and what is known of it. */
export interface UpstreamAnswer {
  readonly forwarded: Forwarded;
  readonly facts: AnswerFacts;
}
