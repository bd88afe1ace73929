import { refuseUndeclared } from "../capability-check.ts";
import type { InputRequests, RequestContext } from "../context.ts";
import { INVALID_PARAMS, isObject, type JsonObject, RpcError, type RpcRequest } from "../json-rpc.ts";
import type { RequestStates } from "./request-state.ts";

/** Ends a request that cannot go on without input; it comes again with it (MCP 2026-07-28, Multi Round-Trip Requests). */
export class InputRequired extends Error {
  readonly requests: InputRequests;
  readonly state: JsonObject | undefined;
  constructor(requests: InputRequests, state: JsonObject | undefined) {
    super("input required");
    this.name = "InputRequired";
    this.requests = requests;
    this.state = state;
  }
}

/** What a request brought from an earlier round. */
export interface Input {
  readonly responses: Readonly<Record<string, JsonObject>>;
  /** Undefined: it brought none. */
  readonly state: JsonObject | undefined;
}

/** @throws RpcError for answers that are none, and for state that is not this server's */
export function readInput(request: RpcRequest, states: RequestStates): Input {
  const { inputResponses = {}, requestState } = request.params;
  if (!isObject(inputResponses)) throw new RpcError(INVALID_PARAMS, "params.inputResponses must be an object.");
  const wrong = Object.keys(inputResponses).find((key) => !isObject(inputResponses[key]));
  if (wrong !== undefined) throw new RpcError(INVALID_PARAMS, `params.inputResponses.${wrong} must be an object.`);
  return {
    responses: inputResponses as Input["responses"],
    state: requestState === undefined ? undefined : states.open(requestState, purposeOf(request)),
  };
}

export function inputRequiredResult(
  { requests, state }: InputRequired,
  request: RpcRequest,
  states: RequestStates,
): JsonObject {
  const requestState = state === undefined ? {} : { requestState: states.seal(state, purposeOf(request)) };
  return { resultType: "input_required", inputRequests: requests, ...requestState };
}

/** Answers from what the request brought, or ends it. Answers of a round that had state need the state, too. */
export function askByResult({ responses, state }: Input, clientCapabilities: JsonObject): RequestContext["ask"] {
  return async (requests, wantedState) => {
    refuseUndeclared(clientCapabilities, requests);
    const isAnswered = Object.keys(requests).every((key) => responses[key] !== undefined);
    if (!isAnswered || (wantedState !== undefined && state === undefined))
      throw new InputRequired(requests, wantedState);
    return responses;
  };
}

function purposeOf({ method, params }: RpcRequest): string {
  return `${method} ${params.name ?? params.uri}`;
}
