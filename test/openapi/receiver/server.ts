import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { OperationDocument } from "./operation-document.ts";
import { type Arrival, BASE_PATH, validatorApp } from "./validator-app.ts";

/** A server on loopback that judges each request by the one operation that is expected. */
export interface Receiver {
  /** What tools call. */
  readonly baseURL: string;
  /** From now on requests have to be of this operation; values in forms are text, whatever the schema's types. */
  readonly expect: (operation: OperationDocument, hasForm: boolean) => void;
  /** What arrived since the last call of this function. */
  readonly take: () => readonly Arrival[];
  readonly close: () => Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  let arrivals: Arrival[] = [];
  let application: RequestListener = (_, response) => response.writeHead(500).end();
  const server = createServer((request, response) => application(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE_PATH}`,
    expect: (operation, hasForm) => {
      application = validatorApp(operation, hasForm, (arrival) => arrivals.push(arrival));
    },
    take: () => {
      const taken = arrivals;
      arrivals = [];
      return taken;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
