/** This machine does not have, or cannot reach, what a check needs. It is told and is no failure: the rest goes on. */
export class Missing extends Error {
  override readonly name = "Missing";
}

/** What programs say when a registry cannot be reached, as opposed to when it refuses what it is asked for. */
const UNREACHABLE =
  /could not resolve host|no such host|name resolution|network is unreachable|connection (refused|timed out|reset)|newconnectionerror|connecttimeout|readtimeout|i\/o timeout|proxyconnect|tls handshake|certificate verify failed|unable to access/i;

/** @param what is missing then; a sentence */
export function missingIfUnreachable(what: string, output: string): Error {
  const line = output.split("\n").find((each) => UNREACHABLE.test(each));
  return line === undefined ? new Error(`${what}\n${output}`) : new Missing(`${what} ${line.trim().slice(0, 300)}`);
}
