import { createServer } from "node:http";

/** A policy decision point with the rules of payments.rego. It answers the Access Evaluation API of AuthZEN 1.0. */
const server = createServer(async (request, response) => {
  if (request.method !== "POST" || request.url !== "/access/v1/evaluation") return response.writeHead(404).end();
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const decision = { decision: decides(JSON.parse(body) as Evaluation) };
  return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(decision));
});
server.listen(Number(process.env.PORT ?? 8282), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`decision point at http://127.0.0.1:${address?.port}`);
});

interface Evaluation {
  readonly resource: { readonly type: string; readonly id: string };
  readonly context: {
    readonly agent?: string;
    readonly countersign: {
      readonly token: { readonly claims: { readonly roles?: readonly string[] } };
      readonly request: {
        readonly mcp: { readonly tool: { readonly params: { readonly arguments?: { readonly amount?: number } } } };
      };
    };
  };
}

function decides({ resource, context }: Evaluation): boolean {
  if (resource.id === "listPayments") return true;
  if (resource.id !== "createPayment") return false;
  const { token, request } = context.countersign;
  const { amount } = request.mcp.tool.params.arguments ?? {};
  const isWithinLimit = (amount !== undefined && amount <= 1_000) || context.agent === "treasury";
  return token.claims.roles?.includes("editor") === true && isWithinLimit;
}
