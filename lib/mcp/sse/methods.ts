import type { Gateway } from "../../gateway/gateway.ts";
import type { LiveSession } from "../caller.ts";
import { RpcError, SESSION_NOT_FOUND } from "../json-rpc.ts";
import { type Handshake, initializeResult, readHandshake } from "../methods/initialize.ts";
import { resultAnswer } from "../methods/method-answer.ts";
import { type Method, type Methods, SESSION_METHODS } from "../methods/methods.ts";

/** The stream is the session, so that its handshake begins nothing more: the session learns whose it is. */
const initialize: Method = async (request, caller, gateway) => {
  const handshake = readHandshake(request);
  // Sessions at upstreams begin with the answer, and tell them who the client is and what it can be asked.
  const session = caller.session && (await introduced(caller.session, handshake, gateway));
  const served = { hears: true, chooses: true };
  return resultAnswer(await initializeResult(handshake, served, { ...caller, session }, gateway));
};

export const SSE_METHODS: Methods = new Map([...SESSION_METHODS, ["initialize", initialize]]);

/** The session with what its client says of itself, which is written down. @throws RpcError when it is over */
async function introduced(
  { reference, record }: LiveSession,
  { clientInfo, clientCapabilities }: Handshake,
  { dependencies }: Pick<Gateway, "dependencies">,
): Promise<LiveSession> {
  const { stores, clock } = dependencies;
  const introduction = { clientInfo, clientCapabilities };
  if (!(await stores.mcpSessions.introduce(reference, introduction, clock.now()))) {
    throw new RpcError(SESSION_NOT_FOUND, "The session is over.");
  }
  return { reference, record: { ...record, ...introduction } };
}
