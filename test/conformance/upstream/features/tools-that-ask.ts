import type { JsonObject } from "../json-rpc.ts";
import { elicit, sample } from "./asks.ts";
import { ENUMS, PRIMITIVES } from "./elicited-schemas.ts";
import { plainTool, said, sampledText, type Tools, textTool } from "./tool.ts";

/** Tools that ask the client one thing and tell what it answered. */
export const TOOLS_THAT_ASK: Tools = {
  test_sampling: textTool("Asks the client's model", "prompt", async (prompt, { ask }) => {
    const { sampled = {} } = await ask({ sampled: sample(prompt) });
    return said(`LLM response: ${sampledText(sampled)}`);
  }),
  test_elicitation: textTool("Asks the person", "message", async (message, { ask }) => {
    const fields = {
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" },
    };
    const { person = {} } = await ask({ person: elicit(message, fields, ["username", "email"]) });
    return said(`User response: ${outcome(person)}`);
  }),
  test_elicitation_sep1034_defaults: plainTool("Asks with defaults of every kind", async ({ ask }) => {
    const { person = {} } = await ask({ person: elicit("Please review and update your profile", PRIMITIVES) });
    return said(`Elicitation completed: ${outcome(person)}`);
  }),
  test_elicitation_sep1330_enums: plainTool("Asks with choices of every kind", async ({ ask }) => {
    const { person = {} } = await ask({ person: elicit("Please select options from the enum fields", ENUMS) });
    return said(`Elicitation completed: ${outcome(person)}`);
  }),
  test_missing_capability: plainTool("Needs a client with a model", async ({ ask }) => {
    const { sampled = {} } = await ask({ sampled: sample("Say anything.") });
    return said(sampledText(sampled));
  }),
  test_streaming_elicitation: plainTool("Asks the person in the course of a stream", async ({ ask, log }) => {
    log("info", "About to ask");
    const { person = {} } = await ask({ person: elicit("Go on?", { on: { type: "boolean" } }) });
    return said(outcome(person));
  }),
};

function outcome({ action, content }: JsonObject): string {
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}
