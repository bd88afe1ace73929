import { isRequestId } from "../../protocol/mcp/message.ts";
import type { ValueKind } from "./json-tokenizer.ts";

/** What is told of an answer whose text was not kept: as the upstream wrote it, before any rewriting. */
export interface AnswerFacts {
  /**
   * Whether it is a JSON-RPC answer at all: of version 2.0, with an id, without a method, and with either an object as its
   * result or an object as its error.
   */
  readonly isAnswer: boolean;
  readonly id?: string | number;
  readonly hasResult: boolean;
  readonly hasError: boolean;
  /** `result.isError` is true. */
  readonly isError: boolean;
  /** `error.code`. */
  readonly errorCode?: number;
  readonly resultType?: string;
  /** The result has `inputRequests` or `requestState` (MCP 2026-07-28, Multi Round-Trip Requests). */
  readonly asksForInput?: true;
}

export type Fact =
  | "jsonrpc"
  | "id"
  | "method"
  | "result"
  | "error"
  | "isError"
  | "resultType"
  | "input"
  | "state"
  | "code";

/** Where facts are. */
export const FACTS: readonly { readonly path: readonly string[]; readonly fact: Fact }[] = [
  { path: ["jsonrpc"], fact: "jsonrpc" },
  { path: ["id"], fact: "id" },
  { path: ["method"], fact: "method" },
  { path: ["result"], fact: "result" },
  { path: ["result", "isError"], fact: "isError" },
  { path: ["result", "resultType"], fact: "resultType" },
  { path: ["result", "inputRequests"], fact: "input" },
  { path: ["result", "requestState"], fact: "state" },
  { path: ["error"], fact: "error" },
  { path: ["error", "code"], fact: "code" },
];

export interface FactsReader {
  begin(fact: Fact, kind: ValueKind): void;
  /** The JSON of a value that is neither object nor list. */
  value(fact: Fact, json: string): void;
  facts(): AnswerFacts;
}

/** Of members that come twice the last counts, as for `JSON.parse`. */
export function createFactsReader(): FactsReader {
  const kinds = new Map<Fact, ValueKind>();
  const values = new Map<Fact, unknown>();
  return {
    begin: (fact, kind) => {
      for (const gone of [fact, ...(INSIDE[fact] ?? [])]) {
        kinds.delete(gone);
        values.delete(gone);
      }
      kinds.set(fact, kind);
    },
    value: (fact, json) => void values.set(fact, JSON.parse(json)),
    facts: () => {
      const [hasResult, hasError] = [kinds.has("result"), kinds.has("error")];
      const outcome = hasResult ? kinds.get("result") : kinds.get("error");
      const [id, code, resultType] = [values.get("id"), values.get("code"), values.get("resultType")];
      const isRpc = values.get("jsonrpc") === "2.0" && isRequestId(id) && !kinds.has("method");
      return {
        isAnswer: isRpc && hasResult !== hasError && outcome === "object",
        ...(isRequestId(id) && { id }),
        hasResult,
        hasError,
        isError: values.get("isError") === true,
        ...(typeof code === "number" && { errorCode: code }),
        ...(typeof resultType === "string" && { resultType }),
        ...((kinds.has("input") || kinds.has("state")) && { asksForInput: true }),
      };
    },
  };
}

const INSIDE: Readonly<Partial<Record<Fact, readonly Fact[]>>> = {
  result: ["isError", "resultType", "input", "state"],
  error: ["code"],
};
