import { setTimeout as after } from "node:timers/promises";
import { INTERNAL_ERROR, RpcError } from "../json-rpc.ts";
import { A_NAME, elicit } from "./asks.ts";
import { filledIn, plainTool, said, type Tools, textTool } from "./tool.ts";

const CONFIRM = { confirm: { type: "boolean" } } as const;

/** Tools that become tasks where the client knows what that is (SEP-2663), and one that never does. */
export const TOOLS_WITH_TASKS: Tools = {
  greet: textTool("Greets at once", "name", async (name) => said(`Hello, ${name}!`)),
  slow_compute: {
    description: "Takes as long as it is told",
    inputSchema: {
      type: "object",
      properties: { seconds: { type: "number" }, label: { type: "string" } },
      required: ["seconds"],
    },
    call: ({ seconds, label }, { inTask }) =>
      inTask(async ({ signal }) => {
        await after(Number(seconds) * 1000, undefined, { signal, ref: false });
        return said(`Computed ${label}.`);
      }),
  },
  failing_job: plainTool("Fails, as a task only", ({ inTask }) =>
    inTask(async () => ({ ...said("The job failed."), isError: true }), { isRequired: true }),
  ),
  protocol_error_job: plainTool("Ends with an error of the protocol", ({ inTask }) =>
    inTask(async () => {
      throw new RpcError(INTERNAL_ERROR, "The job could not be run.");
    }),
  ),
  confirm_delete: textTool("Asks before it deletes", "filename", (filename, { inTask }) =>
    inTask(async ({ ask }) => {
      const { confirm } = await ask({ confirm: elicit(`Delete ${filename}?`, CONFIRM) });
      return said(filledIn(confirm, "confirm") === true ? "Deleted." : "Kept.");
    }),
  ),
  multi_input: plainTool("Asks for two things at once", ({ inTask }) =>
    inTask(async ({ ask }) => {
      const answered = await ask({ first: A_NAME, second: elicit("Sure?", CONFIRM) });
      return said(`Answered: ${Object.keys(answered).join(", ")}`);
    }),
  ),
  test_tool_with_task: plainTool("Asks, then becomes a task", async ({ ask, inTask }) => {
    const { user_name } = await ask({ user_name: A_NAME });
    return inTask(async () => said(`Hello, ${filledIn(user_name, "name")}!`));
  }),
};
