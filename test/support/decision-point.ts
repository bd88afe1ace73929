import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request of the Access Evaluation API. */
export interface Evaluation {
  readonly subject: { readonly type: string; readonly id: string };
  readonly action: { readonly name: string };
  readonly resource: { readonly type: string; readonly id: string; readonly properties?: object };
  readonly context?: Readonly<Record<string, unknown>>;
}

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** A policy decision point on a loopback port, made from the AuthZEN Authorization API 1.0; a test writes its one policy. */
export interface DecisionPoint {
  /** Its identifier. */
  readonly pdp: string;
  /** What it was asked, in order, metadata aside. */
  readonly asked: readonly Asked[];
  /** How often its metadata were read. */
  readonly metadataRequests: () => number;
  /** What a decision is from now on, with the metadata beside it; undefined metadata: there are none. */
  decide(policy: (evaluation: Evaluation) => unknown, metadata?: object): void;
  /** From now on each answer but that with metadata is this one. */
  answer(respond: (response: ServerResponse) => void): void;
  stop(): Promise<void>;
}

/** @param path below which the decision point is, as those of several tenants are */
export async function startDecisionPoint(path = ""): Promise<DecisionPoint> {
  const asked: Asked[] = [];
  let policy: (evaluation: Evaluation) => unknown = () => ({ decision: false });
  let metadata: object | undefined;
  let respond: ((response: ServerResponse) => void) | undefined;
  let reads = 0;
  const server = createServer(async (request, response) => {
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url === `/.well-known/authzen-configuration${path}`) {
      reads++;
      return metadata === undefined ? json(404, "no metadata") : json(200, metadata);
    }
    const body = JSON.parse(await textOf(request)) as Evaluation & { readonly evaluations?: readonly Evaluation[] };
    asked.push({ path: request.url ?? "", authorization: request.headers.authorization, body });
    if (respond !== undefined) return respond(response);
    const { evaluations, ...defaults } = body;
    const isOne = evaluations === undefined || evaluations.length === 0;
    return json(200, isOne ? policy(body) : { evaluations: evaluations.map((one) => policy({ ...defaults, ...one })) });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    pdp: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    asked,
    metadataRequests: () => reads,
    decide: (written, describedBy) => {
      policy = written;
      metadata = describedBy;
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
