import { answers } from "../capability-check.ts";
import { A_CONFIRMATION, A_NAME, elicit, LIST_ROOTS, sample } from "./asks.ts";
import { filledIn, plainTool, said, sampledText, type Tools } from "./tool.ts";

const A_COLOR = elicit("Step 2: What is your favorite color?", { color: { type: "string" } }, ["color"]);

/** Tools that need input of the client, with and without state between the rounds (MCP 2026-07-28, Multi Round-Trip Requests). */
export const TOOLS_WITH_INPUT: Tools = {
  test_input_required_result_elicitation: plainTool("Greets by name", async ({ ask }) => {
    const { user_name } = await ask({ user_name: A_NAME });
    return said(`Hello, ${filledIn(user_name, "name")}!`);
  }),
  test_input_required_result_sampling: plainTool("Asks for a capital", async ({ ask }) => {
    const { capital_question = {} } = await ask({ capital_question: sample("What is the capital of France?") });
    return said(sampledText(capital_question));
  }),
  test_input_required_result_list_roots: plainTool("Asks for roots", async ({ ask }) => {
    const { client_roots = {} } = await ask({ client_roots: LIST_ROOTS });
    return said(`Roots: ${JSON.stringify(client_roots.roots)}`);
  }),
  test_input_required_result_request_state: plainTool("Keeps state for one round", async ({ ask }) => {
    await ask({ confirm: A_CONFIRMATION }, { round: 1 });
    return said("state-ok");
  }),
  test_input_required_result_tampered_state: plainTool("Notices changed state", async ({ ask }) => {
    await ask({ confirm: A_CONFIRMATION }, { round: 1 });
    return said("state-ok");
  }),
  test_input_required_result_multiple_inputs: plainTool("Asks for three things at once", async ({ ask }) => {
    const wanted = { user_name: A_NAME, greeting: sample("Generate a greeting", 50), client_roots: LIST_ROOTS };
    const { user_name, greeting = {} } = await ask(wanted, { round: 1 });
    return said(`${sampledText(greeting)} ${filledIn(user_name, "name")}`);
  }),
  test_input_required_result_multi_round: plainTool("Asks for one thing after another", async ({ ask, state }) => {
    const name = state.name ?? filledIn((await ask({ step1: A_NAME }, { round: 1 })).step1, "name");
    const { step2 } = await ask({ step2: A_COLOR }, { round: 2, name });
    return said(`${name} likes ${filledIn(step2, "color")}.`);
  }),
  test_input_required_result_capabilities: plainTool(
    "Asks for what the client can answer",
    async ({ ask, clientCapabilities }) => {
      const wanted = { user_name: A_NAME, greeting: sample("Generate a greeting", 50), client_roots: LIST_ROOTS };
      const possible = Object.entries(wanted).filter(([, { method }]) => answers(clientCapabilities, method));
      const answered = await ask(Object.fromEntries(possible));
      return said(`Answered: ${Object.keys(answered).join(", ")}`);
    },
  ),
};
