import { connect } from "node:net";
import type { Prng } from "./prng.ts";

/** Longer than the server may take to be done with nonsense, milliseconds. */
const DEADLINE = 20_000;

/**
 * Sends bytes that are no HTTP, or hardly, and waits until the server is done with them. Undefined, or what was wrong:
 * silence, an answer that is neither success nor refusal.
 */
export function sendGarbage(port: number, prng: Prng): Promise<string | undefined> {
  const bytes = garbage(prng);
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    const settle = (wrong: string | undefined) => {
      clearTimeout(timer);
      socket.resetAndDestroy();
      resolve(wrong === undefined ? undefined : `${wrong}; sent ${bytes.toString("base64")}`);
    };
    const timer = setTimeout(() => settle("no end within the deadline"), DEADLINE);
    socket.on("data", (piece) => {
      received += piece.toString("latin1");
    });
    // What goes wrong is told by `close`.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      const isFailure = /^HTTP\/1\.1 5/.test(received) || (received !== "" && !/^HTTP\/1\.1 [234]\d\d /.test(received));
      settle(isFailure ? `answered ${received.slice(0, 60)}` : undefined);
    });
    socket.end(bytes);
  });
}

function garbage(prng: Prng): Buffer {
  const { pick, int } = prng;
  const head = `POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
  return pick([
    () => prng.bytes(int(2_000)),
    () => Buffer.alloc(int(40_000), pick(["\0", "A", "\n", "\r\n"])),
    () => Buffer.from("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "latin1"),
    () => Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    () =>
      Buffer.from(
        `${pick(["GET", "POST", "GE T", "CONNECT", "\u00ff", ""])} ${pick(["/", "", "/\0", "*", "/ /"])} ${pick(["HTTP/1.1", "HTTP/9.9", "HTTP/0.9", "HTTP/1.0", ""])}\r\n\r\n`,
        "latin1",
      ),
    () => Buffer.from(head.slice(0, int(head.length))),
    () => Buffer.from(`${head}${"X: y\r\n".repeat(int(5_000))}\r\n`),
    () =>
      Buffer.from(
        `${head}Transfer-Encoding: chunked\r\n\r\n${pick(["zz\r\n", "-1\r\n", "ffffffffffffffff\r\n", "5\r\nab", "0\r\nX: y\r\n", "1;x=y\r\na\r\n0\r\n\r\n"])}`,
      ),
    () => Buffer.from(`${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`),
    () => Buffer.from(`${head}Content-Length: 5\r\n\r\nabcde`.repeat(1 + int(50))),
  ])();
}
