import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storeConfiguration, wholeConfiguration } from "../../infra/node/commands/embedded-store.ts";
import { endQuietly } from "../../infra/node/io.ts";
import { OPENAPI } from "./support.ts";

const YAML = `version: "1"
store: {path: "{{ env.STORE }}"}
oidcProvider: {region: us, apiClients: {idSecret: dGVzdC1zZWNyZXQtZm9yLWNsaWVudC1pZHMtMzJieXQ}}
apps:
  - name: things
    type: mcpBridge
    openapi: {spec: {uri: file://things.json}}
    upstream: {timeout: 3s, headers: {Authorization: "Bearer <things.key>", X-Key: <things.other>}}
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-store-"));
  await writeFile(join(folder, "things.json"), OPENAPI);
});
afterAll(() => rm(folder, { recursive: true }));

test("commands on the store need no secrets of APIs, and say what gives the others", async () => {
  const config = join(folder, "countersign.yaml");
  const io = { stdout: () => undefined, stderr: () => undefined, environment: { STORE: folder } };
  await writeFile(config, YAML);
  const { store, apps } = await storeConfiguration({ config }, io);
  expect(store.path).toBe(folder);
  expect(apps).toMatchObject([{ name: "things", timeout: 3_000 }]);
  expect(apps[0]).not.toHaveProperty("headers");
  await expect(wholeConfiguration({ config }, io)).rejects.toThrow("<things.key> needs a secret provider");

  await writeFile(config, YAML.replace(/idSecret: \w+/, "idSecret: <own.id>"));
  await expect(storeConfiguration({ config }, io)).rejects.toThrow(
    "<own.id> needs a secret provider; name one with -secretProvider or SVC_SECRET_PROVIDER",
  );
});

test("output that nobody reads any longer is no error", async () => {
  const output = new PassThrough();
  endQuietly(output, ["EPIPE"]);
  output.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  await new Promise((resolve) => output.once("close", resolve));
  expect(() => output.emit("error", new Error("disk full"))).toThrow("disk full");
});
