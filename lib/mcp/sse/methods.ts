import { initializeResult, readHandshake } from "../methods/initialize.ts";
import { type Method, type Methods, SESSION_METHODS } from "../methods/methods.ts";

/** The stream is the session, so that its handshake begins nothing more. */
const initialize: Method = async (request, _, gateway) =>
  initializeResult(readHandshake(request), gateway, { hears: true, chooses: true });

export const SSE_METHODS: Methods = new Map([...SESSION_METHODS, ["initialize", initialize]]);
