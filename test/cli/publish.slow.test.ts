import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { artifactFrom, type Publisher, publisher } from "../deployment/bundles.ts";
import { eventually } from "../support/eventually.ts";
import { createWorkplace, type Finished, type ServedWorkplace, type Workplace } from "./countersign.ts";

let ours: Publisher;
beforeAll(async () => {
  ours = await publisher();
});

/** A workplace whose server takes its configuration from a source, and publishes what its file says. */
async function publishing(
  source: (folder: string) => string,
  more: Readonly<Record<string, string>> = {},
  workers?: number,
) {
  const several = workers !== undefined && { workers };
  const first = await createWorkplace({ ...several });
  const at = (name: string) => join(first.folder, name);
  writeFileSync(at("key.pem"), ours.privatePem);
  writeFileSync(at("public.pem"), ours.publicPem);
  const environment = {
    SVC_CONFIG_SOURCE: source(first.folder),
    SVC_CONFIG_KEYS: `@${at("public.pem")}`,
    SVC_CONFIG_DEPLOYMENT: "production",
    SVC_CONFIG_CACHE: at("cache.json"),
    ...more,
  };
  const workplace = await createWorkplace({ url: first.url, store: first.store, environment, ...several });
  const publishWith = (
    variables: Readonly<Record<string, string>>,
    version: string,
    to: string,
    ...flags: readonly string[]
  ): Promise<Finished> => {
    const yaml = readFileSync(first.config, "utf8").replace(/version: ".*"/, `version: "${version}"`);
    writeFileSync(first.config, yaml);
    const named = ["-key", at("key.pem"), "-deployment", "production", "-to", to, ...flags];
    return first.countersignWith(variables, "publish", ...named);
  };
  return {
    ...workplace,
    at,
    yaml: first.config,
    /** Publishes the file with this version. */
    publish: (version: string, to: string, ...flags: readonly string[]): Promise<Finished> =>
      publishWith({}, version, to, ...flags),
    publishWith,
    command: (...args: readonly string[]) => first.countersign(...args),
    remove: () => {
      first.remove();
      workplace.remove();
    },
  };
}

type Publishing = Awaited<ReturnType<typeof publishing>>;

/** The last configuration that the log of a server names. */
const inUse = ({ log }: ServedWorkplace): string | undefined =>
  log.map((line) => /configVersion=(\S+)/.exec(line)?.[1]).findLast((found) => found !== undefined);
const until = (server: ServedWorkplace, version: string) =>
  eventually(
    async () => inUse(server),
    (found) => found === version,
  );

describe("81. a source that is a file", () => {
  let here: Publishing;
  let bundle: string;
  beforeAll(async () => {
    here = await publishing((folder) => `file://${folder}/bundle.json`, { SVC_CONFIG: "" });
    bundle = here.at("bundle.json");
  });
  afterAll(() => here?.remove());

  test("81. nothing is served before something is published", async () => {
    const { code, stderr } = await here.countersign();
    expect([code, stderr]).toEqual([3, expect.stringContaining("No published configuration can be used")]);
    expect(stderr).toContain("bundle.json does not exist");
  });

  test("81. publications are taken over while the server runs, survive the source, and never go back", async () => {
    const published = await here.publish("one", bundle, "-reason", "the first");
    expect(JSON.parse(published.stdout)).toMatchObject({ deployment: "production", region: "us", revision: 1 });
    const old = readFileSync(bundle);
    let server = await here.serve();
    expect(inUse(server)).toBe("one");
    await here.publish("two", bundle);
    await until(server, "two");
    writeFileSync(bundle, old);
    await eventually(
      async () => server.log.join("\n"),
      (log) => log.includes("revision 2 was in use already"),
    );
    expect(inUse(server)).toBe("two");
    await server.kill();

    // An old bundle at the source, and the kept one: the higher counts.
    server = await here.serve();
    expect(inUse(server)).toBe("two");
    await server.stop();
    rmSync(bundle);
    server = await here.serve();
    expect(inUse(server)).toBe("two");
    await server.stop();

    // Without the kept one, the store still knows.
    writeFileSync(bundle, old);
    rmSync(here.at("cache.json"));
    const refused = await here.countersign();
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining("Revision 2 of the configuration was in use"),
    ]);
    expect((await here.publish("three", bundle, "-revision", "3")).code).toBe(0);
    server = await here.serve();
    expect(inUse(server)).toBe("three");
    await server.stop();
  });

  test("81. what takes a restart is refused by name, and used after one", async () => {
    const server = await here.serve();
    const restart = ["-revision", "4"];
    const yaml = readFileSync(here.at("countersign.yaml"), "utf8");
    writeFileSync(here.at("countersign.yaml"), `${yaml}logger: {level: warn}\n`);
    await here.publish("four", bundle, ...restart);
    await eventually(
      async () => server.log.join("\n"),
      (log) => /from its start alone: logger/.test(log),
    );
    expect(inUse(server)).toBe("three");
    await server.stop();
    const shown = await here.command("verify-bundle", "-bundle", bundle, "-keys", here.at("public.pem"));
    expect(JSON.parse(shown.stdout)).toMatchObject({ revision: 4, tools: "no tools" });
  });
});

describe("81. a source that is the store", () => {
  let here: Publishing;
  beforeAll(async () => {
    here = await publishing(() => "store:");
  });
  afterAll(() => here?.remove());

  test("81. the own configuration is served until something is published; what was published survives kill -9", async () => {
    let server = await here.serve();
    expect(inUse(server)).toBe("1");
    expect((await here.publish("one", "store:")).stderr).toBe("");
    await until(server, "one");
    await server.kill();
    server = await here.serve();
    expect(inUse(server)).toBe("one");
    await here.publish("two", "store:");
    await until(server, "two");
    const rolledBack = await here.publish("unused", "store:", "-rollbackTo", "1");
    expect(JSON.parse(rolledBack.stdout)).toMatchObject({ revision: 3, rollbackOf: 1 });
    await until(server, "one");
    await server.stop();
  });

  test("81. a pipeline publishes through the management API, with a token of its own and the words that it needs", async () => {
    const server = await here.serve();
    const clientKey = here.at("client.pem");
    const made = ["-name", "pipeline", "-scopes", "deployments:publish", "-keyOut", clientKey] as const;
    const { clientId } = JSON.parse((await here.command("client", "create", ...made)).stdout);
    const token = await here.command("token", "-issuer", here.url, "-client", clientId, "-key", clientKey);
    expect(token.stderr).toBe("");
    const to = `${here.url}/api/v1/deployment`;
    const withToken = { SVC_CONFIG_TOKEN: token.stdout.trim() };
    const published = await here.publishWith(withToken, "three", to, "-reason", "by the pipeline");
    expect([published.stderr, JSON.parse(published.stdout)]).toEqual(["", expect.objectContaining({ revision: 4 })]);
    await until(server, "three");
    const stranger = await here.publishWith({ SVC_CONFIG_TOKEN: "cst_us_wrong" }, "four", to);
    expect([stranger.code, stranger.stderr]).toEqual([4, expect.stringContaining("status 401")]);
    const yaml = readFileSync(here.yaml, "utf8");
    writeFileSync(here.yaml, yaml.replace("console:\n  enabled: true", "console:\n  enabled: false"));
    const refused = await here.publishWith(withToken, "four", to);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("with -force no-console")]);
    expect(inUse(server)).toBe("three");
    expect((await here.publishWith(withToken, "four", to, "-force", "no-console")).code).toBe(0);
    await until(server, "four");
    writeFileSync(here.yaml, yaml);
    // What another publisher's bundle would lose cannot be told without that one's key.
    writeFileSync(here.at("other.pem"), (await publisher()).privatePem);
    const unknown = await here.publish("five", "store:", "-key", here.at("other.pem"));
    expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringMatching(/in the store .*with -keys\.\n$/)]);
    expect(
      (await here.publish("five", "store:", "-key", here.at("other.pem"), "-keys", here.at("public.pem"))).code,
    ).toBe(0);
    await server.stop();
  });
});

describe("81. instances that sign", () => {
  let here: Publishing;
  beforeAll(async () => {
    here = await publishing(() => "store:", { SVC_CONFIG_SIGNING: "service" });
  });
  afterAll(() => here?.remove());

  test("81. start with what they have signed, and operators publish after it with their own key", async () => {
    let server = await here.serve();
    const clientKey = here.at("client.pem");
    const made = ["-name", "editor", "-scopes", "deployments:publish", "-keyOut", clientKey] as const;
    const { clientId } = JSON.parse((await here.command("client", "create", ...made)).stdout);
    const token = await here.command("token", "-issuer", here.url, "-client", clientId, "-key", clientKey);
    const yaml = readFileSync(here.yaml, "utf8").replace(/version: ".*"/, 'version: "signed"');
    const published = await fetch(`${here.url}/api/v1/deployment/revisions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token.stdout.trim()}`, "Content-Type": "application/json" },
      body: JSON.stringify({ artifact: JSON.stringify(await artifactFrom(yaml)), revision: 1 }),
    });
    expect([published.status, await published.json()]).toEqual([201, expect.objectContaining({ revision: 1 })]);
    await until(server, "signed");
    await server.kill();
    server = await here.serve();
    expect(inUse(server)).toBe("signed");
    const refused = await here.publish("two", "store:", "-rollbackTo", "1");
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("Name its key with -keys.")]);
    expect((await here.publish("two", "store:")).stderr).toBe("");
    await until(server, "two");
    await server.stop();
  });
});

test("81. every process of a server with workers knows what is in use, and takes publications", async () => {
  const here = await publishing(() => "store:", { SVC_CONFIG_SIGNING: "service" }, 2);
  try {
    const server = await here.serve();
    const clientKey = here.at("client.pem");
    const made = ["-name", "pipeline", "-scopes", "deployments:publish", "-keyOut", clientKey] as const;
    const { clientId } = JSON.parse((await here.command("client", "create", ...made)).stdout);
    const { stdout } = await here.command("token", "-issuer", here.url, "-client", clientId, "-key", clientKey);
    const to = `${here.url}/api/v1/deployment`;
    const sent = { authorization: `Bearer ${stdout.trim()}`, "content-type": "application/json" };
    const states = () =>
      // Each comes by a connection of its own, which any of the processes takes.
      Promise.all(
        Array.from({ length: 12 }, async () => {
          const answer = await fetch(to, { headers: { ...sent, connection: "close" } });
          const { active, signing } = (await answer.json()) as { active?: { revision: number }; signing: string };
          return [answer.status, signing, active?.revision];
        }),
      );
    for (const [revision, version] of [
      [1, "one"],
      [2, "two"],
    ] as const) {
      const published = await here.publishWith({ SVC_CONFIG_TOKEN: stdout.trim() }, version, to);
      expect([published.stderr, published.code]).toEqual(["", 0]);
      expect(new Set((await states()).map(String))).toEqual(new Set([`200,service,${revision}`]));
    }
    const body = JSON.stringify({ to: 1, revision: 3, reason: "The other was worse." });
    // Every process can sign.
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        fetch(`${to}/rollback`, { method: "POST", headers: { ...sent, connection: "close" }, body }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(new Set((await states()).map(String))).toEqual(new Set(["200,service,3"]));
    await server.stop();
  } finally {
    here.remove();
  }
});

describe("81. countersign publish", () => {
  let at: Workplace;
  let file: (name: string) => string;
  beforeAll(async () => {
    at = await createWorkplace();
    file = (name) => join(at.folder, name);
    writeFileSync(file("key.pem"), ours.privatePem);
    writeFileSync(file("public.pem"), ours.publicPem);
    writeFileSync(file("other.pem"), (await publisher()).privatePem);
  });
  afterAll(() => at?.remove());
  const publish = (...flags: readonly string[]) =>
    at.countersign(
      "publish",
      "-key",
      file("key.pem"),
      "-deployment",
      "production",
      "-to",
      file("bundle.json"),
      ...flags,
    );

  test.each<readonly [string, readonly string[], RegExp, number]>([
    ["a bad time", ["-expires", "soon"], /expiresAt: Invalid ISO datetime/, 2],
    ["a bad revision", ["-revision", "-1"], /-revision|-1/, 2],
    ["a key of another kind", ["-key", "public.pem"], /cannot be read|no private key/, 2],
    ["a place that is none", ["-to", "http://127.0.0.1:9/bundle.json"], /fetch failed|ECONNREFUSED/, 5],
    [
      "nothing to roll back to",
      ["-rollbackTo", "7"],
      /Revision 7 is not kept at .*bundle.json, which has the latest alone/,
      4,
    ],
  ])("81. says what is wrong with %s", async (_, flags, message, exit) => {
    const { code, stdout, stderr } = await publish(...flags);
    expect([code, stdout]).toEqual([exit, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test("81. bundles of other publishers are only replaced with their keys at hand", async () => {
    expect((await publish("-key", file("other.pem"))).code).toBe(0);
    const refused = await publish();
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining("Name its key with -keys, or another -to."),
    ]);
    rmSync(file("bundle.json"));
  });

  test("81. what differs is shown by key, secrets as they are written", async () => {
    expect((await publish("-dryRun")).stdout).toContain('"dryRun":true');
    expect((await publish()).code).toBe(0);
    const changed = readFileSync(at.config, "utf8").replace('version: "1"', 'version: "2"');
    const setup = "console:\n  setupToken: <vault.setup>\n";
    writeFileSync(file("changed.yaml"), changed.replace("console:\n", setup));
    const { stdout, stderr } = await at.countersign(
      "diff",
      ...["-from", file("bundle.json")],
      ...["-to", file("changed.yaml"), "-keys", file("public.pem")],
    );
    expect(stderr).toBe("");
    expect(stdout.split("\n")).toEqual(['- version: "1"', '+ version: "2"', "+ console.setupToken: <vault.setup>", ""]);
  });

  test("81. what locks people out is shown, and published by its word alone", async () => {
    rmSync(file("bundle.json"), { force: true });
    const open = readFileSync(at.config, "utf8");
    expect(open).toMatch(/console:\n {2}enabled: true/);
    expect((await publish()).code).toBe(0);
    writeFileSync(at.config, open.replace(/console:\n {2}enabled: true/, "console:\n  enabled: false"));
    const compared = ["-from", file("bundle.json"), "-to", at.config, "-keys", file("public.pem")];
    const { stdout } = await at.countersign("diff", ...compared);
    expect(stdout).toContain("! turns the Console and the management API off (publish it with -force no-console)");
    for (const flags of [[], ["-dryRun"], ["-force", "yes"]]) {
      const { code, stderr } = await publish(...flags);
      expect([code, stderr]).toEqual([
        4,
        expect.stringContaining("If that is meant, publish it with -force no-console."),
      ]);
    }
    expect(JSON.parse((await publish("-force", "no-console")).stdout)).toMatchObject({ revision: 2 });
    writeFileSync(at.config, open);
  });
});
