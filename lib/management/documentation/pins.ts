import type { PIN_OPERATIONS } from "../operations/pins.ts";
import { APP_PINS, HELD_TOOL, PIN_FORGETTING, PIN_LIST, PIN_VERDICT } from "../schemas/pins.ts";
import type { Documentation } from "./documentation.ts";
import { pathParameter } from "./documentation.ts";

const APP = pathParameter("app", "Name of the app.");
const NOT_FOUND = "`not_found`: the organization has no such app with `pins`.";

/** Tools that are held until an owner approves them (D228). */
export const PIN_DOCUMENTATION = {
  listPins: {
    summary: "Apps that pin their tools, and what is held of them",
    description: "The organization's own apps, in the order of the configuration.",
    answers: [{ status: 200, description: "Every app with `pins`.", schema: PIN_LIST }],
  },
  showHeldTool: {
    summary: "A held version of a tool, beside the approved ones",
    description: "`not_found`: no such version of a tool is held.",
    parameters: [APP, pathParameter("digest", "`digest` of the held version.")],
    answers: [{ status: 200, description: "Both definitions as JSON text.", schema: HELD_TOOL }],
    problems: ["not_found"],
  },
  approveTool: {
    summary: "Approve a held version of a tool",
    description: `Agents get it within five seconds. \`conflict\`: this version is not held; the detail says what is. ${NOT_FOUND}`,
    parameters: [APP],
    body: { schema: PIN_VERDICT },
    answers: [{ status: 200, description: "What is held of the app now.", schema: APP_PINS }],
    problems: ["not_found", "conflict"],
  },
  refuseTool: {
    summary: "Refuse a held version of a tool",
    description: `It stays held, marked as refused. \`conflict\`: this version is not held; the detail says what is. ${NOT_FOUND}`,
    parameters: [APP],
    body: { schema: PIN_VERDICT },
    answers: [{ status: 200, description: "What is held of the app now.", schema: APP_PINS }],
    problems: ["not_found", "conflict"],
  },
  forgetPins: {
    summary: "Forget what was approved and held, of one tool or of an app",
    description:
      "A tool is held as a new one from then on. Of an app the next list is the first again, and `pins.first` of the configuration says " +
      `what becomes of it. Every instance knows within five seconds. \`not_found\` also where nothing is known of the tool or the app.`,
    parameters: [APP],
    body: { schema: PIN_FORGETTING },
    answers: [{ status: 200, description: "What is held of the app now.", schema: APP_PINS }],
    problems: ["not_found", "conflict"],
  },
} as const satisfies Documentation<typeof PIN_OPERATIONS>;
