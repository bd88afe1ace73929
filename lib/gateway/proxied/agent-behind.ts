import { uuid } from "../../ids.ts";
import { unheardAgent } from "../../mcp/agent-side.ts";
import type { Caller } from "../../mcp/caller.ts";
import type { AgentSide } from "../../proxy/agent-side.ts";
import type { Gateway } from "../gateway.ts";
import type { UpstreamCaller } from "./upstream-of.ts";

/** The agent of a session or a stream, where no request of its own is forwarded. @param how what differs: by default it hears nothing */
export function agentBehind(
  caller: Caller,
  gateway: Gateway,
  how: Partial<Pick<AgentSide, "relay" | "hearsRequests" | "logLevel">> = {},
): UpstreamCaller {
  const request = { kind: "request", id: uuid(gateway.dependencies.random), method: "", params: {} } as const;
  return { ...caller, agent: { ...unheardAgent(request, caller, gateway), ...how } };
}
