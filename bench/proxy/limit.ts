import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { type Dispatcher, Pool } from "undici";

/**
 * The limit: `node:http` and `undici`'s `Pool.dispatch`, and two durable rows a call: one that a call begins, one before its
 * answer. All rows of a turn of the event loop are one commit. Nobody is authenticated, nothing is read. Arguments: port,
 * upstream, file of the store.
 */
const [port = "", upstream = "", file = ""] = process.argv.slice(2);
const { origin, pathname: path } = new URL(upstream);
const pool = new Pool(origin);
const commit = openRecord(file);

createServer((request, response) => {
  if (request.method !== "POST") {
    response.end("ready");
    return;
  }
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => forward(request, Buffer.concat(parts), response));
}).listen(Number(port), "localhost");

function forward({ headers: given }: IncomingMessage, body: Buffer, response: ServerResponse): void {
  commit("began", body.length);
  const { host: _host, connection: _connection, "content-length": _length, ...headers } = given;
  let status = 502;
  let answered: IncomingHttpHeaders = {};
  const parts: Buffer[] = [];
  const finish = (outcome: string) => {
    const text = Buffer.concat(parts);
    const { connection: _hop, "keep-alive": _kept, "transfer-encoding": _chunks, ...kept } = answered;
    commit(outcome, text.length, () => {
      response.writeHead(status, { ...kept, "content-length": text.length }).end(text);
    });
  };
  const handler: Dispatcher.DispatchHandler = {
    // By it the pool knows which handler this is.
    onRequestStart: () => undefined,
    onResponseStart: (_controller, statusCode, responseHeaders) => {
      status = statusCode;
      answered = responseHeaders;
    },
    onResponseData: (_controller, part) => void parts.push(part),
    onResponseEnd: () => finish("success"),
    onResponseError: () => finish("failure"),
  };
  pool.dispatch({ path, method: "POST", headers, body }, handler);
}

/** Calls back after the commit that holds the row. */
function openRecord(store: string): (outcome: string, size: number, then?: () => void) => void {
  const database = new DatabaseSync(store);
  database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
  database.exec("CREATE TABLE record (id INTEGER PRIMARY KEY, time INTEGER, outcome TEXT, size INTEGER) STRICT");
  const [begin, end] = [database.prepare("BEGIN"), database.prepare("COMMIT")];
  const insert = database.prepare("INSERT INTO record (time, outcome, size) VALUES (?, ?, ?)");
  let waiting: (readonly [outcome: string, size: number, then?: () => void])[] = [];
  const write = () => {
    const group = waiting;
    waiting = [];
    const time = Date.now();
    begin.run();
    for (const [outcome, size] of group) insert.run(time, outcome, size);
    end.run();
    for (const [, , then] of group) then?.();
  };
  return (outcome, size, then) => {
    if (waiting.push([outcome, size, then]) === 1) setImmediate(write);
  };
}
