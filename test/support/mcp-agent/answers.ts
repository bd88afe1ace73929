import type { Inbox, Told } from "./inbox.ts";

/** What a person and a model say when a server asks the agent; all that was asked is in its inbox. */
export function answers(inbox: Inbox) {
  return {
    sample: (asked: Told) => {
      inbox.take(asked);
      const content = { type: "text" as const, text: "It is a test." };
      return { role: "assistant" as const, model: "test-model", stopReason: "endTurn", content };
    },
    elicit: (asked: Told) => {
      inbox.take(asked);
      const isForm = asked.params?.mode !== "url";
      return { action: "accept" as const, ...(isForm && { content: { name: "Ada", check: true, integer: 7 } }) };
    },
    roots: (asked: Told) => {
      inbox.take(asked);
      return { roots: [{ uri: "file:///work", name: "Work" }] };
    },
  };
}
