import { setTimeout as after } from "node:timers/promises";
import { isObject, objectAt } from "../json-rpc.ts";
import { plainTool, said, type Tools } from "./tool.ts";

/** Between two messages, milliseconds: they arrive apart. */
const PAUSE = 50;

/** Tools that say something before their answer, or to others. */
export const TOOLS_THAT_TELL: Tools = {
  test_tool_with_logging: plainTool("Logs while it works", async ({ log }) => {
    log("info", "Tool execution started");
    await after(PAUSE);
    log("info", "Tool processing data");
    await after(PAUSE);
    log("info", "Tool execution completed");
    return said("Tool with logging executed");
  }),
  test_logging_tool: plainTool("Logs once", ({ log }) => {
    log("info", "Something to log");
    return said("Logged, for whoever asked for it.");
  }),
  test_tool_with_progress: plainTool("Tells how far it is", async ({ params, notify }) => {
    const { progressToken } = objectAt(params, "_meta");
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await after(PAUSE);
      if (progressToken !== undefined) notify("notifications/progress", { progressToken, progress, total: 100 });
    }
    return said("Tool with progress executed");
  }),
  test_reconnection: plainTool("Ends its stream before it answers", async ({ hangUp }) => {
    hangUp();
    await after(2 * PAUSE);
    return said("The answer came on another stream.");
  }),
  test_trigger_tool_change: plainTool("Says that the list of tools has changed", ({ changes }) => {
    changes.emit({ list: "tools" });
    return said("The list of tools has changed.");
  }),
  test_trigger_prompt_change: plainTool("Says that the list of prompts has changed", ({ changes }) => {
    changes.emit({ list: "prompts" });
    return said("The list of prompts has changed.");
  }),
  test_trigger_resource_change: plainTool("Says that the watched resource has changed", ({ changes }) => {
    changes.emit({ uri: "test://watched-resource" });
    return said("The watched resource has changed.");
  }),
  test_client_capabilities: plainTool("Names what the client declared", ({ clientCapabilities }) =>
    said(
      Object.keys(clientCapabilities)
        .filter((key) => isObject(clientCapabilities[key]))
        .sort()
        .join(" "),
    ),
  ),
};
