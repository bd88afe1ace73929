import type { Stop } from "../../stores/stops.ts";
import { stopOfCalled } from "../stopped.ts";
import type { Refusal, Step } from "./step.ts";

/**
 * Neither the app nor the tool nor the server behind it is stopped (D173). Who calls was looked up with the token. Lists do not show
 * what is stopped.
 */
export const stop: Step = {
  name: "stop",
  async *judge({ app, subject, caller }, { instanceStops }) {
    const index = await instanceStops.current(caller.request.waitUntil);
    const found = stopOfCalled(index, app, subject.tool?.params.name);
    if (found === undefined) return;
    const { kind, id } = found.target;
    const refusal = { ...STOPPED, message: stoppedMessage(found), details: { stopId: found.stopId } };
    yield [{ ...refusal, why: `the ${kind} ${id} is stopped: ${found.reason}` }];
  },
  async shown(tools, caller, { instanceStops }) {
    const index = await instanceStops.current(caller.request.waitUntil);
    if (index.size === 0) return tools;
    return tools.filter(({ app, tool }) => stopOfCalled(index, app, tool.localName) === undefined);
  },
};

/** Why it is stopped is for those who stopped it. */
export const STOPPED: Omit<Refusal, "why"> = {
  outcome: "refuse",
  code: "stopped",
  message: "An administrator has stopped this. Do not try again before it is resumed.",
  reason: "stopped",
};

/** What agents and people are told. */
export function stoppedMessage({ deletion }: Pick<Stop, "deletion">): string {
  return deletion === undefined
    ? STOPPED.message
    : "The organization that this belongs to was deleted. Do not try again.";
}
