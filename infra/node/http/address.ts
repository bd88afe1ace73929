import type { Server } from "node:http";
import { StartupError } from "../startup-error.ts";

/** Resolves when the server listens. Rejects with `StartupError` when it cannot. */
export function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new StartupError(listenFailure(error, host, port), { cause: error }));
    server.once("error", fail);
    server.listen(port, host, () => {
      server.removeListener("error", fail);
      resolve();
    });
  });
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): string {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  switch (error.code) {
    case "EADDRINUSE":
      return `Cannot listen on ${address}: the port is in use by another process.`;
    case "EACCES":
      return `Cannot listen on ${address}: this user may not use the port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `Cannot listen on ${address}: this machine does not have the address.`;
    default:
      return `Cannot listen on ${address}: ${error.code ?? error.message}.`;
  }
}
