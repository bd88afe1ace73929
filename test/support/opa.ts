import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { McpPolicyInput } from "../../lib/policy/policy.ts";

/** A server with OPA's data API on a loopback port, whose one policy a test writes. */
export interface Opa {
  /** The address of the policy's decision. */
  readonly url: string;
  /** What it was asked with, in order. */
  readonly inputs: readonly McpPolicyInput[];
  /** From now on the document is what this says, as JSON; undefined is an undefined document. */
  decide(policy: (input: McpPolicyInput) => unknown): void;
  /** From now on each answer is this one, whatever is asked. */
  answer(respond: (response: ServerResponse) => void): void;
  stop(): Promise<void>;
}

/** Follows "Get a Document (with Input)" of OPA's REST API: POST with `{input}`, 200 with `{result}`. */
export async function startOpa(): Promise<Opa> {
  const inputs: McpPolicyInput[] = [];
  let policy: (input: McpPolicyInput) => unknown = () => false;
  let respond: ((response: ServerResponse) => void) | undefined;
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    if (request.method !== "POST" || request.url !== "/v1/data/gateway/result") return response.writeHead(404).end();
    const { input } = JSON.parse(body) as { input: McpPolicyInput };
    inputs.push(input);
    if (respond !== undefined) return respond(response);
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(JSON.stringify({ result: policy(input) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/data/gateway/result`,
    inputs,
    decide: (written) => {
      policy = written;
      respond = undefined;
    },
    answer: (written) => {
      respond = written;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
