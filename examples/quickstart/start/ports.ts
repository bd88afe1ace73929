import { createServer } from "node:net";
import { StartupError } from "../../../infra/node/startup-error.ts";
import type { QuickstartPorts } from "./configuration.ts";

const DEFAULT_PORT = 8080;
const HOW = "choose another with the variable PORT, for example PORT=9000";

/**
 * Countersign's port from `PORT`, 8080 without it, and the four above it for the samples.
 * @throws StartupError when `PORT` is not a port, or one of the five is taken
 */
export async function quickstartPorts(text: string | undefined): Promise<QuickstartPorts> {
  const server = text === undefined || text === "" ? DEFAULT_PORT : Number(text);
  if (!Number.isInteger(server) || server < 1 || server > 65_531) {
    throw new StartupError(`PORT is "${text}"; it has to be a whole number from 1 to 65531.`);
  }
  const ports = { server, library: server + 1, board: server + 2, provider: server + 3, desk: server + 4 };
  await expectFree(ports.server, "Countersign");
  await expectFree(ports.library, "the sample API");
  await expectFree(ports.board, "the sample MCP server");
  await expectFree(ports.provider, "the sample OpenID provider");
  await expectFree(ports.desk, "the sample web pages");
  return ports;
}

/** Asked before anything is created, so that a start beside a running quickstart leaves no trace. */
function expectFree(port: number, user: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "is taken" : `cannot be used (${cause.code ?? cause.message})`;
      reject(new StartupError(`Port ${port}, for ${user}, ${why}; ${HOW}.`, { cause }));
    });
    probe.listen(port, "localhost", () => probe.close(() => resolve()));
  });
}
