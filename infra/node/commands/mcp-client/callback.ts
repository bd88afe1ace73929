import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { CommandIo } from "../../io.ts";

/** A page of this machine that the browser is sent back to (RFC 8252 §7.3). */
export interface Callback {
  /** Its address, the redirect URI. */
  readonly url: string;
  /** Resolves to what the browser brings, once it brings this state; everything else is answered with 404. */
  broughtBack(state: string): Promise<URLSearchParams>;
  close(): void;
}

const PATH = "/callback";

/** @param wanted a port that an earlier page had; another one is taken where somebody else has it */
export async function openCallback(wanted = 0): Promise<Callback> {
  const server = createServer();
  await listen(server, wanted).catch(() => listen(server, 0));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${PATH}`;
  return {
    url,
    broughtBack: (state) =>
      new Promise((resolve) => {
        server.on("request", ({ method, url: target = "" }, response) => {
          const { pathname, searchParams } = new URL(target, url);
          const isAnswer = method === "GET" && pathname === PATH && searchParams.get("state") === state;
          response.writeHead(isAnswer ? 200 : 404, HEADERS);
          response.end(isAnswer ? PAGE : "", () => isAnswer && resolve(searchParams));
        });
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  connection: "close",
};

const PAGE = `<!doctype html>
<html lang="en">
<title>Countersign</title>
<h1>Back to the terminal</h1>
<p>The command goes on there, and says whether you are signed in. You can close this page.</p>
</html>
`;

/** Shows a page to the person, where there is a browser; the address is printed in any case. */
export function openBrowser(url: URL, environment: CommandIo["environment"]): void {
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url.href], { env: environment, stdio: "ignore", detached: true });
  // There may be none.
  child.on("error", () => undefined);
  child.unref();
}

/** `start` would read the address as a shell does; this takes it as it is. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
