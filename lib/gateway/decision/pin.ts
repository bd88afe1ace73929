import type { PinState } from "../../pins/instance-pins.ts";
import type { WaitUntil } from "../../webhooks/webhooks.ts";
import type { Finding, ListCandidate, ListPorts, Refusal, Step } from "./step.ts";

/**
 * The tool is as it was approved, where its app pins tools (D228). What is new or has changed is held: lists and searches do not show it,
 * and calls are denied until an owner approves it. A tool of which no list tells has nothing that could be judged, and its calls fail
 * without reaching the upstream.
 */
export const pin: Step = {
  name: "pin",
  async *judge({ app, subject, pin: pinned, caller }, { pins }) {
    if (app.pins === undefined || subject.tool === undefined) return;
    if (pinned === undefined) return yield [{ outcome: "allow", why: UNTOLD }];
    const version = pinned();
    const [state = "held"] = (await pins?.statesOf(app, [version], caller.request.waitUntil)) ?? [];
    yield [findingOf(state, version.digest)];
  },
  async shown(tools, { request }, { pins }) {
    const pinned = tools.filter(({ app, pin }) => app.pins !== undefined && pin !== undefined);
    if (pinned.length === 0) return tools;
    const held = await Promise.all(
      [...Map.groupBy(pinned, ({ app }) => app)].map((one) => heldOf(...one, pins, request.waitUntil)),
    );
    const all = new Set(held.flat());
    return all.size === 0 ? tools : tools.filter((tool) => !all.has(tool));
  },
};

function findingOf(state: PinState, digest: string): Finding {
  const version = `the version ${digest}`;
  switch (state) {
    case "approved":
      return { outcome: "allow", why: `${version} is approved` };
    case "unknown":
      return { outcome: "allow", why: `if ${version} is approved, which the store knows` };
    case "held":
      return { ...HELD, details: { digest }, why: `${version} is held: an owner has to approve it` };
    case "refused":
      return { ...HELD, details: { digest }, why: `${version} is held: an owner has refused it` };
  }
}

async function heldOf<Tool extends ListCandidate>(
  app: ListCandidate["app"],
  tools: readonly Tool[],
  pins: ListPorts["pins"],
  waitUntil: WaitUntil,
): Promise<readonly Tool[]> {
  const asked = tools.flatMap(({ pin }) => pin?.() ?? []);
  const states = await pins?.statesOf(app, asked, waitUntil);
  return tools.filter((_, index) => states?.[index] !== "approved");
}

const HELD: Omit<Refusal, "why"> = {
  outcome: "refuse",
  code: "tool_held",
  message:
    "This tool is new or has changed since it was approved. It cannot be called before an owner approves it as it is now. Do not try again before.",
  reason: "tool_held",
};

const UNTOLD = "the version that the server lists when the call is made has to be approved";
