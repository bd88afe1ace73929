import type { ServerResponse } from "node:http";
import { beginEvents, event, sendJson } from "../http.ts";
import {
  errorMessage,
  type JsonObject,
  METHOD_NOT_FOUND,
  notificationMessage,
  type RequestId,
  type RpcError,
  resultMessage,
} from "../json-rpc.ts";

/** Where an answer goes: as JSON with a status, or, once something was told or the answer is to be one, as an event stream. */
export interface AnswerForm {
  notify(method: string, params: JsonObject): void;
  succeed(result: JsonObject): void;
  fail(error: RpcError): void;
}

export function createAnswerForm(response: ServerResponse, id: RequestId, prefersStream: boolean): AnswerForm {
  const begin = () => {
    if (!response.headersSent) beginEvents(response);
  };
  const notify = (method: string, params: JsonObject) => {
    begin();
    response.write(event(notificationMessage(method, params)));
  };
  const succeed = (result: JsonObject) => {
    if (prefersStream) begin();
    const message = resultMessage(id, result);
    if (response.headersSent) response.end(event(message));
    else sendJson(response, 200, message);
  };
  const fail = (error: RpcError) => {
    const message = errorMessage(id, error);
    if (response.headersSent) response.end(event(message));
    else sendJson(response, error.code === METHOD_NOT_FOUND ? 404 : 400, message);
  };
  return { notify, succeed, fail };
}
