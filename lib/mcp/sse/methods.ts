import { initializeResult, readHandshake } from "../methods/initialize.ts";
import { resultAnswer } from "../methods/method-answer.ts";
import { type Method, type Methods, SESSION_METHODS } from "../methods/methods.ts";

/** The stream is the session, so that its handshake begins nothing more. */
const initialize: Method = async (request, caller, gateway) =>
  resultAnswer(await initializeResult(readHandshake(request), { hears: true, chooses: true }, caller, gateway));

export const SSE_METHODS: Methods = new Map([...SESSION_METHODS, ["initialize", initialize]]);
