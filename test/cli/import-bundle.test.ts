import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run as importBundle } from "../../infra/node/commands/import-bundle.ts";
import { run as migrate } from "../../infra/node/commands/migrate.ts";
import type { CommandIo } from "../../infra/node/io.ts";

interface Entry {
  readonly name: string;
  readonly content?: string;
  /** `0` unless given: a regular file. */
  readonly kind?: string;
  readonly prefix?: string;
  /** Of the header, when it is not that of the content. */
  readonly size?: string;
  readonly checksum?: number;
}

const CONFIGURATION = {
  version: "1.0",
  connectors: [
    { name: "login", type: "azure", oidcWellKnownURL: "https://login.example/.well-known/openid-configuration" },
  ],
  apps: [],
  oidcProvider: { keySecret: "<vault.key>", discovery: { issuer: "{{ env.ISSUER }}" } },
};
const MAIN: Entry = { name: "maverics.json", content: JSON.stringify(CONFIGURATION) };
const EXTENSION: Entry = { name: "extensions/login.go", content: "package main\n" };
const FILES = [MAIN, EXTENSION];

let folder: string;
let ours: Awaited<ReturnType<typeof generateKeyPair>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-import-"));
  ours = await generateKeyPair("ES256");
  writeFileSync(join(folder, "public.pem"), await exportSPKI(ours.publicKey));
});
afterAll(() => rmSync(folder, { recursive: true }));

function header({ name, content = "", kind = "0", prefix = "", size, checksum }: Entry): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write("0000644\0", 100);
  block.write(size ?? `${Buffer.byteLength(content).toString(8).padStart(11, "0")}\0`, 124);
  block.fill(" ", 148, 156);
  block.write(kind, 156);
  block.write("ustar\0", 257);
  block.write("00", 263);
  block.write(prefix, 345);
  const sum = checksum ?? block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function tar(entries: readonly Entry[], end = Buffer.alloc(1_024)): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? "");
    return [header(entry), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, end]);
}

const sha256 = (content = "") => createHash("sha256").update(content).digest("hex");
const listed = (files: readonly Entry[]) =>
  files.map(({ name, content }) => ({ name, sha256: sha256(content), algorithm: "SHA-256" }));

const sign = (claims: object, key: CryptoKey = ours.privateKey) =>
  new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: "ES256" }).sign(key);
const signature = async (files: readonly Entry[]): Promise<Entry> => ({
  name: "signature.jwt",
  content: await sign({ files: listed(files) }),
});
/** Signed for what stands in the list, with what stands in the archive. */
const archive = async (files: readonly Entry[], signed = files) => tar([...files, await signature(signed)]);

async function imported(bytes: Uint8Array, more: readonly string[] = []) {
  const said = { stdout: "", stderr: "" };
  const io: CommandIo = {
    stdout: (text) => {
      said.stdout += text;
    },
    stderr: (text) => {
      said.stderr += text;
    },
    environment: {},
  };
  const file = join(folder, "bundle.tar.gz");
  writeFileSync(file, bytes);
  await importBundle(["-bundle", file, "-publicKey", join(folder, "public.pem"), ...more], io);
  return { ...said, stderr: said.stderr.replaceAll(`${folder}/`, "") };
}

describe("countersign import-bundle", () => {
  test("prints the configuration as YAML, and names what it leaves out", async () => {
    const { stdout, stderr } = await imported(gzipSync(await archive(FILES)));
    expect(stdout).toContain("  - name: login\n    type: azure\n");
    expect(stdout).toContain('issuer: "{{ env.ISSUER }}"');
    expect(stderr).toBe(
      "  left out: extensions/login.go (13 bytes)\nbundle.tar.gz: signed, with 2 files; next: countersign migrate -config FILE\n",
    );
  });

  test("writes a new file that only its owner reads, and that migrate goes on with", async () => {
    const out = join(folder, "imported.yaml");
    const bytes = gzipSync(await archive(FILES));
    await imported(bytes, ["-out", out]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    let migrated = "";
    const io = { stderr: () => undefined, environment: {} };
    await migrate(["-config", out], {
      ...io,
      stdout: (text) => {
        migrated += text;
      },
    });
    expect(migrated).toContain("type: oidc");
    await expect(imported(bytes, ["-out", out])).rejects.toThrow("imported.yaml cannot be written: there is a file of");
    expect(readFileSync(out, "utf8")).toContain("type: azure");
  });

  test("YAML stays as it is written", async () => {
    const content = "# ours\nversion: 1.10\n";
    expect((await imported(gzipSync(await archive([{ name: "maverics.yaml", content }])))).stdout).toBe(content);
  });

  test("names behind ./, folders, long names and other members of the list", async () => {
    const long = `assets/${"a".repeat(120)}.txt`;
    const record = ` path=${long}\n`;
    const files = [{ ...MAIN, name: "./maverics.json" }, { name: "b.txt" }, { name: long, content: "x" }];
    const list = [
      { fileName: "maverics.json", hash: sha256(MAIN.content).toUpperCase(), alg: "sha256" },
      { file: "assets/b.txt", digest: sha256(), algorithm: "SHA256", size: 0 },
      { name: long, sha256: sha256("x") },
    ];
    const bytes = tar([
      { name: "./", kind: "5" },
      { ...MAIN, name: "./maverics.json" },
      { name: "assets/", kind: "5" },
      { name: "b.txt", prefix: "assets" },
      { name: "pax", kind: "x", content: `${record.length + 3}${record}` },
      { name: "short", content: "x" },
      { name: "signature.jwt", content: `${await sign({ files: list })}\n` },
    ]);
    expect((await imported(gzipSync(bytes))).stderr).toContain(`signed, with ${files.length} files`);
  });

  test("what the tar command writes", async () => {
    const { content = "" } = await signature(FILES);
    const source = mkdtempSync(join(folder, "source-"));
    mkdirSync(join(source, "extensions"));
    for (const file of [...FILES, { name: "signature.jwt", content }]) {
      writeFileSync(join(source, file.name), file.content ?? "");
    }
    const isGnu = execFileSync("tar", ["--version"]).includes("GNU");
    for (const format of ["ustar", "pax", ...(isGnu ? ["gnu"] : [])]) {
      const packed = execFileSync("tar", ["-C", source, `--format=${format}`, "-czf", "-", "."]);
      expect((await imported(packed)).stderr, format).toContain("signed, with 2 files");
    }
  });

  const withClaims = async (claims: object) => tar([MAIN, { name: "signature.jwt", content: await sign(claims) }]);
  const entry = (more: object) => ({ files: [{ ...listed([MAIN])[0], ...more }] });
  const pax = (content: string): Entry => ({ name: "pax", kind: "x", content });

  test.each<[what: string, bytes: () => Promise<Uint8Array>, expected: string | RegExp]>([
    ["a file that is changed", () => archive([{ ...MAIN, content: "{}" }], [MAIN]), 'another "maverics.json" than'],
    ["a file more", () => archive(FILES, [MAIN]), 'has "extensions/login.go", which its signature does not list'],
    ["a file less", () => archive([MAIN], FILES), 'lacks "extensions/login.go", which its signature lists'],
    ["a file twice", () => archive([MAIN, MAIN], [MAIN]), 'has "maverics.json" twice'],
    ["twice by ./", () => archive([MAIN, { ...MAIN, name: "./maverics.json" }], [MAIN]), '"maverics.json" twice'],
    ["an absolute name", () => archive([MAIN, { name: "/etc/x" }]), 'has the name "/etc/x", which leads elsewhere'],
    ["a name with ..", () => archive([MAIN, { name: "a/../../x" }]), 'has the name "a/../../x", which leads elsewhere'],
    ["a name with a backslash", () => archive([MAIN, { name: "..\\x" }]), "which leads elsewhere"],
    ["a drive", () => archive([MAIN, { name: "C:x" }]), "which leads elsewhere"],
    ["a line break in a name", () => archive([MAIN, { name: "a\nb" }]), "which leads elsewhere"],
    ["a prefix with ..", () => archive([MAIN, { name: "x", prefix: ".." }]), "which leads elsewhere"],
    ["a long name with ..", () => archive([MAIN, pax("13 path=../x\n"), { name: "x" }]), "which leads elsewhere"],
    ...["1", "2", "3", "4", "6", "7", "L", "g", "S"].map((kind): [string, () => Promise<Uint8Array>, string] => [
      `an entry of the kind ${kind}`,
      () => archive([MAIN, { name: "x", kind }]),
      'has "x", which is no regular file',
    ]),
    ["a folder with content", () => archive([MAIN, { name: "x", kind: "5", content: "x" }]), "no regular file"],
    ["no signature", async () => tar([MAIN]), "has no signature.jwt"],
    [
      "another key",
      async () => {
        const { privateKey } = await generateKeyPair("ES256");
        return tar([MAIN, { name: "signature.jwt", content: await sign({ files: listed([MAIN]) }, privateKey) }]);
      },
      "is not signed by this key",
    ],
    [
      "no algorithm",
      async () => {
        const [, payload] = (await sign({ files: listed([MAIN]) })).split(".");
        const none = Buffer.from('{"alg":"none"}').toString("base64url");
        return tar([MAIN, { name: "signature.jwt", content: `${none}.${payload}.` }]);
      },
      "is not signed with ES256",
    ],
    [
      "the public key as a secret",
      async () => {
        const secret = readFileSync(join(folder, "public.pem"));
        const jwt = new SignJWT({ files: listed([MAIN]) }).setProtectedHeader({ alg: "HS256" });
        return tar([MAIN, { name: "signature.jwt", content: await jwt.sign(secret) }]);
      },
      "is not signed with ES256",
    ],
    ["no JWT", async () => tar([MAIN, { name: "signature.jwt", content: "x" }]), "signature.jwt that is not accepted"],
    ["an expired signature", () => withClaims({ files: listed([MAIN]), exp: 1 }), "not accepted: ERR_JWT_EXPIRED"],
    [
      "claims of another form",
      () => withClaims({ hashes: {} }),
      "has a signature of another form; accepted: the claim",
    ],
    ["a list of nothing", () => withClaims({ files: [] }), 'has "maverics.json", which its signature does not list'],
    ["an entry that is none", () => withClaims({ files: ["maverics.json"] }), "without its name or without a SHA-256"],
    ["an entry with two names", () => withClaims(entry({ file: "x" })), "without its name"],
    ["an entry with two hashes", () => withClaims(entry({ hash: sha256() })), "without a SHA-256"],
    ["a hash that is none", () => withClaims(entry({ sha256: "00" })), "without a SHA-256"],
    ["another algorithm", () => withClaims(entry({ algorithm: "MD5" })), "with another algorithm than SHA-256"],
    ["a name twice in the list", () => withClaims({ files: listed([MAIN, MAIN]) }), "or lists it twice"],
    ["a list of itself", () => withClaims({ files: listed([{ name: "signature.jwt" }]) }), "which it cannot"],
    ["no configuration", () => archive([EXTENSION]), "the bundle has no configuration; accepted: one of maverics.json"],
    ["two configurations", () => archive([MAIN, { name: "maverics.yaml" }]), "has maverics.json and maverics.yaml"],
    ["a checksum of others", () => archive([{ ...MAIN, checksum: 1 }]), "has a header whose checksum is another one"],
    ["a size in base 256", () => archive([{ ...MAIN, size: "\x7f\0\0\0" }]), "with a number that cannot be read"],
    ["a size beyond the end", () => archive([{ ...MAIN, size: "77777777777\0" }]), "ends in the middle of a file"],
    [
      "a long size beyond the end",
      () => archive([pax("21 size=999999999999\n"), MAIN]),
      "ends in the middle of a file",
    ],
    ["an extension of nothing", () => Promise.resolve(tar([MAIN, pax("9 path=x\n")])), "extends the name of no file"],
    [
      "an extension twice",
      () => archive([pax("9 path=x\n"), pax("9 path=y\n"), MAIN]),
      "extends the name of a file twice",
    ],
    ["an extension of another length", () => archive([pax("99 path=x\n"), MAIN]), "has a header that cannot be read"],
    ["a key twice", () => archive([pax("9 path=x\n9 path=y\n"), MAIN]), "has a header that cannot be read"],
    ["no end", async () => tar([MAIN], Buffer.alloc(0)), "ends in the middle of its archive"],
    ["half an end", async () => tar([MAIN], Buffer.alloc(512)), "does not end where its archive ends"],
    ["something behind the end", async () => Buffer.concat([tar([MAIN]), tar([MAIN])]), "does not end where"],
    ["no tar", async () => Buffer.alloc(2_048, "x"), "the bundle has a header with a number that cannot be read"],
    [
      "too many entries",
      () => archive(Array.from({ length: 1_001 }, (_, at) => ({ name: `${at}` }))),
      "more than 1000",
    ],
    ["too much", async () => Buffer.alloc(21 * 1024 * 1024), "the bundle is larger than 20971520 bytes"],
  ])("%s is refused", async (_, bytes, expected) => {
    await expect(imported(gzipSync(await bytes()))).rejects.toThrow(expected);
  });

  test.each<[what: string, entry: Entry, expected: string]>([
    [
      "a key twice",
      { name: "maverics.json", content: '{"a": 1, "a": 2}' },
      "maverics.json:1:10: a: found the same key",
    ],
    ["YAML as JSON", { name: "maverics.json", content: "a: 1" }, "maverics.json:1:1: found no JSON"],
    ["nothing", { name: "maverics.yaml", content: "" }, "maverics.yaml:1:1: the document is empty"],
    ["no text", { name: "maverics.yaml", content: "\0" }, "maverics.yaml:1:1: found the character U+0000"],
  ])("a configuration that can be read in no way or in two is refused: %s", async (_, file, expected) => {
    await expect(imported(gzipSync(await archive([file])))).rejects.toThrow(expected);
  });

  test("a bundle that is no gzip, and a key that is none, are told", async () => {
    await expect(imported(await archive([MAIN]))).rejects.toThrow("the bundle is no gzip file, or a damaged one.");
    const key = join(folder, "key.pem");
    writeFileSync(key, "x");
    await expect(imported(gzipSync(await archive([MAIN])), ["-publicKey", key])).rejects.toThrow("holds no public key");
  });
});
