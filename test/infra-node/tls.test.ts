import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type HttpServer, type Listener, listen } from "../../infra/node/http/listen.ts";
import { StartupError } from "../../infra/node/startup-error.ts";
import type { HttpConfiguration, TlsConfiguration } from "../../lib/config/configuration.ts";
import { type CertificateAuthority, createAuthority, type Issued } from "../support/certificates.ts";
import { LISTENER } from "../support/configuration.ts";
import { freePort } from "../support/free-port.ts";
import { listenerOf } from "./listener.ts";

const HOUR = 3_600_000;
const ID = expect.stringMatching(/^[0-9A-Z]{26}$/);

let authority: CertificateAuthority;
let clients: CertificateAuthority;
let folder: string;
let port: number;
let lines: string[];
let reached: number;
const servers: HttpServer[] = [];

beforeAll(() => {
  authority = createAuthority();
  clients = createAuthority("Client authority");
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-tls-"));
  port = await freePort();
  [lines, reached] = [[], 0];
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.drain(0)));
  rmSync(folder, { recursive: true });
});

test("the listener answers over TLS with the certificate of http.tls, and the application sees https", async () => {
  await serve({ tls: "main" }, { main: entry("main") });
  const { status, body } = await get();
  expect({ status, body }).toEqual({ status: 200, body: `https://localhost:${port}/` });
});

test("the chain of the file is sent, and text around the certificates does no harm", async () => {
  const settings = entry("main");
  const { cert, key } = authority.issue();
  put("main.crt", `Certificate: leaf\n${cert}\nissuer:\n${authority.cert}`);
  put("main.key", key);
  await serve({ tls: "main" }, { main: settings });
  const socket = await handshake();
  expect(socket.getPeerCertificate(true).issuerCertificate.subject.CN).toBe("Test authority");
  socket.destroy();
});

describe("which certificate answers to which host name:", () => {
  const names = ["default.example", "exact.example", "*.wild.example", "deep.wild.example"];
  const hosts = [
    { isDefault: true, tls: "default.example" },
    { isDefault: false, name: "Exact.Example.", tls: "exact.example" },
    { isDefault: false, name: "*.wild.example", tls: "*.wild.example" },
    { isDefault: false, name: "deep.wild.example", tls: "deep.wild.example" },
  ];
  test.each([
    ["exact.example", "exact.example"],
    ["EXACT.example", "exact.example"],
    ["a.wild.example", "*.wild.example"],
    ["deep.wild.example", "deep.wild.example"],
    ["a.b.wild.example", "default.example"],
    ["wild.example", "default.example"],
    ["other.example", "default.example"],
    ["", "default.example"],
  ])("%j is answered by %s", async (servername, expected) => {
    await serve({ hosts }, Object.fromEntries(names.map((name, index) => [name, entry(`host${index}`, [name])])));
    const socket = await handshake({ servername, checkServerIdentity: () => undefined });
    expect(socket.getPeerCertificate().subject.CN).toBe(expected);
    socket.destroy();
  });

  test("http.tls is the default", async () => {
    await serve({ tls: "main", hosts: hosts.slice(1, 2) }, { main: entry("main"), "exact.example": entry("exact") });
    await (await handshake({ servername: "other.example", checkServerIdentity: () => undefined })).destroy();
  });

  test.each(["other.example", ""])("without a default, %j is refused in the handshake", async (servername) => {
    await serve({ hosts: hosts.slice(1, 2) }, { "exact.example": entry("exact", ["exact.example"]) });
    await expect(handshake({ servername })).rejects.toThrow(/handshake failure/);
    await (await handshake({ servername: "exact.example" })).destroy();
    expect(reached).toBe(0);
  });
});

test("versions below minVersion are refused", async () => {
  await serve({ tls: "main" }, { main: { ...entry("main"), minVersion: "1.3" } });
  await expect(handshake({ maxVersion: "TLSv1.2" })).rejects.toThrow(/version/);
  expect((await handshake()).getProtocol()).toBe("TLSv1.3");
});

test("TLS 1.2 is the least of what the listener speaks", async () => {
  await serve({ tls: "main" }, { main: entry("main") });
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  await expect(handshake(old)).rejects.toThrow();
  expect((await handshake({ maxVersion: "TLSv1.2" })).getProtocol()).toBe("TLSv1.2");
});

test("each host name has its own minVersion", async () => {
  const hosts = [
    { isDefault: true, tls: "old" },
    { isDefault: false, name: "new.example", tls: "new" },
  ];
  await serve({ hosts }, { old: entry("old"), new: { ...entry("new", ["new.example"]), minVersion: "1.3" } });
  const old = { maxVersion: "TLSv1.2" } as const;
  expect((await get(old)).status).toBe(200);
  await expect(get({ ...old, servername: "new.example" })).rejects.toThrow();
  expect((await get({ servername: "new.example" })).status).toBe(200);
  expect(reached).toBe(2);
});

test("HTTP/1.1 is what the listener offers, and a client that wants something else is refused", async () => {
  await serve({ tls: "main" }, { main: entry("main") });
  expect((await handshake({ ALPNProtocols: ["h2", "http/1.1"] })).alpnProtocol).toBe("http/1.1");
  await expect(handshake({ ALPNProtocols: ["h2"] })).rejects.toThrow(/application protocol/);
});

describe("client certificates, as the five names of Go's crypto/tls say:", () => {
  const given = ["none", "good", "foreign", "expired"] as const;
  test.each([
    ["NoClientCert", ["none", "good", "foreign", "expired"]],
    ["RequestClientCert", ["none", "good", "foreign", "expired"]],
    ["RequireAnyClientCert", ["good", "foreign", "expired"]],
    ["VerifyClientCertIfGiven", ["none", "good"]],
    ["RequireAndVerifyClientCert", ["good"]],
  ] as const)("%s accepts %j", async (clientAuth, accepted) => {
    await serve({ tls: "main" }, { main: { ...entry("main"), clientAuth, clientCAFiles: [clientCa()] } });
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const outcomes = await Promise.all(
        given.map(async (kind) => {
          const outcome = await get({ ...clientCertificate(kind), maxVersion }).catch(() => undefined);
          return outcome?.status === 200 ? [kind] : [];
        }),
      );
      expect({ maxVersion, accepted: outcomes.flat() }).toEqual({ maxVersion, accepted });
    }
    expect(reached).toBe(accepted.length * 2);
  });

  test("each host name has its own mode, and a session of one does not open another", async () => {
    const hosts = [
      { isDefault: true, tls: "open" },
      { isDefault: false, name: "closed.example", tls: "closed" },
    ];
    const mode = { clientAuth: "RequireAndVerifyClientCert", clientCAFiles: [clientCa()] } as const;
    await serve({ hosts }, { open: entry("open"), closed: { ...entry("closed", ["closed.example"]), ...mode } });
    expect((await get()).status).toBe(200);
    await expect(get({ servername: "closed.example" })).rejects.toThrow();
    expect((await get({ servername: "closed.example", ...clientCertificate("good") })).status).toBe(200);
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const session = await sessionOf({ maxVersion });
      await expect(get({ servername: "closed.example", maxVersion, session })).rejects.toThrow();
    }
    expect(reached).toBe(4);
  });

  test("what the authority of one host name verified counts nothing at another", async () => {
    const other = put("other.pem", createAuthority("Another").cert);
    const hosts = ["a", "b"].map((tls) => ({ isDefault: false, name: `${tls}.example`, tls }));
    const mode = { clientAuth: "RequireAndVerifyClientCert" } as const;
    const a = { ...entry("a", ["a.example"]), ...mode, clientCAFiles: [clientCa()] };
    const b = { ...entry("b", ["b.example"]), ...mode, clientCAFiles: [other] };
    await serve({ hosts }, { a, b });
    const client = clientCertificate("good");
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const session = await sessionOf({ servername: "a.example", ...client, maxVersion });
      await expect(get({ servername: "b.example", ...client, maxVersion, session })).rejects.toThrow();
    }
    expect(reached).toBe(2);
  });

  test.each([
    ["NoClientCert", true],
    ["RequireAndVerifyClientCert", false],
  ] as const)("with %s a session can be resumed: %s", async (clientAuth, expected) => {
    await serve({ tls: "main" }, { main: { ...entry("main"), clientAuth, clientCAFiles: [clientCa()] } });
    const client = clientCertificate("good");
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const session = await sessionOf({ ...client, maxVersion });
      const socket = await handshake({ ...client, maxVersion, session });
      expect(socket.isSessionReused()).toBe(expected);
      socket.destroy();
    }
  });

  test("55. why a client was refused is in the log, with an id", async () => {
    const mode = { clientAuth: "RequireAndVerifyClientCert", clientCAFiles: [clientCa()] } as const;
    await serve({ tls: "main" }, { main: { ...entry("main"), ...mode } });
    for (const kind of ["none", "expired"] as const) await get(clientCertificate(kind)).catch(() => undefined);
    expect(entriesOf("TLS connection refused")).toMatchObject([
      { level: "info", requestId: ID, tls: "main", cause: "no client certificate", remoteAddress: "127.0.0.1" },
      { level: "info", requestId: ID, tls: "main", cause: "client certificate refused: CERT_HAS_EXPIRED" },
    ]);
  });
});

describe("what cannot be used ends the start with entry, key, file and reason:", () => {
  test.each<[string, Partial<Record<"certFile" | "keyFile" | "clientCAFiles", string>>, RegExp]>([
    ["a missing certificate", { certFile: "none" }, /^tls\.main\.certFile: \S+\/none cannot be read: no such file/],
    ["a missing key", { keyFile: "none" }, /^tls\.main\.keyFile: \S+\/none cannot be read: no such file/],
    ["a folder", { certFile: "." }, /^tls\.main\.certFile: \S+ cannot be read: it is a folder\.$/],
    ["an empty file", { keyFile: "empty" }, /^tls\.main\.keyFile: \S+\/empty cannot be read: it is empty\.$/],
    ["a key in place of a certificate", { certFile: "main.key" }, /^tls\.main\.certFile: \S+ holds no certificate/],
    ["a certificate in place of a key", { keyFile: "main.crt" }, /^tls\.main\.keyFile: \S+ holds no private key/],
    ["a key of another certificate", { keyFile: "other.key" }, /^tls\.main\.keyFile: \S+ does not belong to/],
    ["an encrypted key", { keyFile: "encrypted.key" }, /^tls\.main\.keyFile: \S+ holds an encrypted private key/],
    ["a damaged key", { keyFile: "damaged.key" }, /^tls\.main\.keyFile: \S+ holds a private key that cannot be read/],
    ["a damaged certificate", { certFile: "damaged.crt" }, /^tls\.main\.certFile: \S+ holds a certificate that cannot/],
    ["a client CA that is none", { clientCAFiles: "main.key" }, /^tls\.main\.clientCAFiles\[0\]: \S+ holds no certifi/],
  ])("%s", async (_, files, message) => {
    const settings = entry("main");
    put("empty", "");
    put("other.key", authority.issue().key);
    put("encrypted.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIH0MF8G\n-----END ENCRYPTED PRIVATE KEY-----\n");
    put("damaged.key", "-----BEGIN PRIVATE KEY-----\nMIH0MF8G\n-----END PRIVATE KEY-----\n");
    put("damaged.crt", "-----BEGIN CERTIFICATE-----\nMIH0MF8G\n-----END CERTIFICATE-----\n");
    const { clientCAFiles, ...paths } = Object.fromEntries(
      Object.entries(files).map(([key, name]) => [key, join(folder, name)]),
    );
    const main = { ...settings, ...paths, ...(clientCAFiles !== undefined && { clientCAFiles: [clientCAFiles] }) };
    const failure = await serve({ tls: "main" }, { main }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartupError);
    expect((failure as Error).message).toMatch(message);
  });

  test("an entry that is not there", async () => {
    await expect(serve({ tls: "main" }, {})).rejects.toThrow(/^The listener uses tls\.main, which is not configured/);
  });
});

test.each([
  ["has expired", { notAfter: new Date(Date.now() - HOUR), notBefore: new Date(Date.now() - 2 * HOUR) }],
  ["is not valid yet", { notBefore: new Date(Date.now() + HOUR), notAfter: new Date(Date.now() + 20 * 24 * HOUR) }],
  ["expires within a week", { notAfter: new Date(Date.now() + HOUR) }],
])("a certificate that %s is served, with one warning", async (problem, lifetime) => {
  const settings = entry("main");
  const { cert, key } = authority.issue(lifetime);
  put("main.crt", cert);
  put("main.key", key);
  await serve({ tls: "main" }, { main: settings }, { certificateInterval: 10 });
  expect((await get({ rejectUnauthorized: false })).status).toBe(200);
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
  expect(warnings).toMatchObject([{ msg: `the TLS certificate ${problem}`, tls: "main", file: settings.certFile }]);
});

describe("files that change:", () => {
  test("new connections get the new certificate, open ones go on", async () => {
    await serve({ tls: "main" }, { main: entry("main", ["localhost", "before.example"]) }, { certificateInterval: 10 });
    const open = await handshake();
    const before = open.getPeerX509Certificate()?.fingerprint;
    entry("main", ["localhost", "after.example"]);
    await expect.poll(() => fingerprint(), { timeout: 20_000 }).not.toBe(before);
    open.write(`GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(String((await once(open, "data"))[0])).toMatch(/^HTTP\/1\.1 200/);
    expect(entriesOf("TLS certificate read anew")).toMatchObject([{ level: "info", tls: "main" }]);
  });

  test("certificates of host names change as well", async () => {
    const hosts = [{ isDefault: false, name: "a.example", tls: "a" }];
    await serve({ hosts }, { a: entry("a", ["a.example"]) }, { certificateInterval: 10 });
    const of = () => fingerprint({ servername: "a.example" });
    const before = await of();
    entry("a", ["a.example"]);
    await expect.poll(of, { timeout: 20_000 }).not.toBe(before);
  });

  test("a folder that is exchanged by its symbolic link, as Kubernetes does, counts as a change", async () => {
    const { certFile = "", keyFile = "" } = entry("main");
    for (const version of ["1", "2"]) {
      mkdirSync(join(folder, version));
      cpSync(certFile, join(folder, version, "tls.crt"));
      cpSync(keyFile, join(folder, version, "tls.key"));
      entry("main");
    }
    symlinkSync("1", join(folder, "..data"));
    for (const name of ["tls.crt", "tls.key"]) symlinkSync(join("..data", name), join(folder, name));
    const main = { ...entry("other"), certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
    await serve({ tls: "main" }, { main }, { certificateInterval: 10 });
    const before = await fingerprint();
    symlinkSync("2", join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
    await expect.poll(() => fingerprint(), { timeout: 20_000 }).not.toBe(before);
  });

  test("a broken file keeps the former certificate and is told once; the next good one is taken", async () => {
    await serve({ tls: "main" }, { main: entry("main") }, { certificateInterval: 10 });
    const before = await fingerprint();
    const { cert, key } = authority.issue();
    put("main.crt", cert);
    const failure = "changed TLS files cannot be used; the former stay in use";
    await expect
      .poll(() => entriesOf(failure), { timeout: 20_000 })
      .toMatchObject([
        { level: "error", tls: "main", cause: expect.stringMatching(/^PemFileError: keyFile: \S+ does not belong to/) },
      ]);
    expect(await fingerprint()).toBe(before);
    put("main.key", key);
    await expect.poll(() => fingerprint(), { timeout: 20_000 }).not.toBe(before);
    expect(entriesOf(failure)).toHaveLength(1);
  });

  test("an authority of clients that is exchanged is the one that counts", async () => {
    const mode = { clientAuth: "RequireAndVerifyClientCert", clientCAFiles: [clientCa()] } as const;
    await serve({ tls: "main" }, { main: { ...entry("main"), ...mode } }, { certificateInterval: 10 });
    const client = clientCertificate("good");
    expect((await get(client)).status).toBe(200);
    put("clients.pem", createAuthority("Other").cert);
    const outcome = () =>
      get(client).then(
        ({ status }) => status,
        () => "refused",
      );
    await expect.poll(outcome, { timeout: 20_000 }).toBe("refused");
  });
});

describe("what is no TLS:", () => {
  test("plain HTTP is told in plain HTTP that the port speaks TLS", async () => {
    await serve({ tls: "main" }, { main: entry("main") });
    const response = await fetch(`http://127.0.0.1:${port}/path?secret=1`, { method: "POST", body: "body" });
    expect(response.status).toBe(400);
    expect(response.headers.get("Connection")).toBe("close");
    expect(await response.json()).toMatchObject({
      type: "urn:countersign:problem:plain_http",
      detail: "This port speaks TLS: use https.",
    });
    expect((await get()).status).toBe(200);
    expect(reached).toBe(1);
    expect(lines.join("\n")).not.toContain("secret");
    expect(entriesOf("TLS handshake failed")).toEqual([]);
    expect(entriesOf("request refused")).toMatchObject([{ requestId: response.headers.get("X-Request-Id") }]);
  });

  test.each([
    ["garbage", Buffer.from("garbage\r\n\r\n"), "info"],
    ["a handshake that is none", Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 1, 2, 3, 4, 5]), "info"],
    ["a handshake that is cut off", Buffer.from([0x16, 0x03, 0x01, 0x02]), "debug"],
    ["nothing", Buffer.alloc(0), "debug"],
    ["an HTTP/2 preface", Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "info"],
  ])("55. %s ends that connection alone, and has an id and a log entry", async (_, bytes, level) => {
    await serve({ tls: "main" }, { main: entry("main") });
    await send(bytes);
    expect((await get()).status).toBe(200);
    const logged = () => entriesOf("TLS handshake failed");
    await expect.poll(logged).toMatchObject([{ level, requestId: ID, cause: expect.stringMatching(/./) }]);
  });

  test("55. many of them are no flood above debug level, and no harm: one entry, and their number", async () => {
    const server = await serve({ tls: "main" }, { main: entry("main") });
    await Promise.all(Array.from({ length: 100 }, () => send(Buffer.from("no handshake at all"))));
    expect((await get()).status).toBe(200);
    await server.drain(0);
    const loud = lines
      .map((line) => JSON.parse(line))
      .filter(({ level, msg }) => level !== "debug" && !/expires/.test(msg));
    const [{ cause }] = loud;
    expect(loud).toMatchObject([
      { msg: "TLS handshake failed", requestId: ID, cause },
      { msg: "more TLS handshakes failed", cause, count: 99 },
    ]);
    expect(entriesOf("TLS handshake failed")).toHaveLength(100);
  });
});

test("a handshake that does not come is waited for, but not for ever", async () => {
  await serve({ tls: "main" }, { main: entry("main") }, { handshakeTimeout: 100 });
  const socket = connectTcp(port, "127.0.0.1");
  await once(socket.resume(), "close");
  expect((await get()).status).toBe(200);
});

test("headers that do not arrive over TLS are waited for, but not for ever", async () => {
  const limits = { headersTimeout: 100, requestTimeout: 100, checkInterval: 20 };
  await serve({ tls: "main" }, { main: entry("main") }, limits);
  const socket = await handshake();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow:");
  expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1\.1 408 /);
  await once(socket.resume(), "close");
});

test("draining does not wait for connections that never brought a request", async () => {
  const server = await serve({ tls: "main" }, { main: entry("main") });
  const [unused, raw] = [await handshake(), connectTcp(port, "127.0.0.1")];
  await once(raw, "connect");
  const closed = [once(unused.resume(), "close"), once(raw.resume(), "close")];
  expect(await server.drain(60_000)).toBe(0);
  await Promise.all(closed);
});

/** Until the server ends the connection. */
async function send(bytes: Buffer): Promise<void> {
  const socket = connectTcp(port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  socket.end(bytes);
  socket.resume();
  await once(socket, "close");
}

async function serve(
  http: Partial<HttpConfiguration>,
  tls: Readonly<Record<string, TlsConfiguration>>,
  limits: Listener["limits"] = {},
): Promise<HttpServer> {
  const application: Listener["application"] = async ({ url }) => {
    reached += 1;
    return new Response(url);
  };
  const server = await listen({ ...LISTENER, ...http, port }, { ...listenerOf(application, lines), tls, limits });
  servers.push(server);
  return server;
}

/** An entry whose files are made anew. */
function entry(file: string, names = ["localhost"]): TlsConfiguration {
  const { cert, key } = authority.issue({ names });
  const files = { certFile: put(`${file}.crt`, cert), keyFile: put(`${file}.key`, key) };
  return { ...files, minVersion: "1.2", clientAuth: "NoClientCert", clientCAFiles: [] };
}

function clientCa(): string {
  return put("clients.pem", clients.cert);
}

function clientCertificate(kind: "none" | "good" | "foreign" | "expired"): Partial<Issued> {
  if (kind === "none") return {};
  if (kind === "foreign") return createAuthority("Foreign authority").issue({ names: ["agent"] });
  const expired = { notBefore: new Date(Date.now() - 2 * HOUR), notAfter: new Date(Date.now() - HOUR) };
  return clients.issue({ names: ["agent"], ...(kind === "expired" && expired) });
}

function put(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function options(given: ConnectionOptions): ConnectionOptions {
  return { host: "127.0.0.1", port, ca: authority.cert, servername: "localhost", ...given };
}

/** A connection after its handshake. */
async function handshake(given: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect(options(given));
  await once(socket, "secureConnect");
  socket.on("error", () => socket.destroy());
  return socket;
}

async function get(given: ConnectionOptions = {}): Promise<{ readonly status?: number; readonly body: string }> {
  const sent = request({ ...options(given), agent: false, headers: { Host: `localhost:${port}` } }).end();
  const [response] = await once(sent, "response");
  let body = "";
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, body };
}

async function fingerprint(given: ConnectionOptions = {}): Promise<string | undefined> {
  const socket = await handshake(given);
  const { fingerprint } = socket.getPeerX509Certificate() ?? {};
  socket.destroy();
  return fingerprint;
}

/** A session that a connection left, for another one to resume. */
async function sessionOf(given: ConnectionOptions): Promise<Buffer | undefined> {
  const socket = await handshake(given);
  let session = socket.getSession();
  socket.on("session", (ticket) => {
    session = ticket;
  });
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await once(socket.resume(), "close");
  return session;
}

function entriesOf(message: string): readonly Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}
