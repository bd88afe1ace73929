import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { manage } from "../behaviour/fixture.ts";
import { type Canaries, CLASSES, canaries, newSecret } from "./canaries/canaries.ts";
import { type Instance, startInstance } from "./canaries/instance.ts";
import { misuseEverything } from "./canaries/misuse.ts";
import { audit, useCommands, useEverything } from "./canaries/use.ts";

describe("a server of every class of secret, used well and badly, with everything that it wrote", () => {
  let birds: Canaries;
  let instance: Instance | undefined;
  beforeAll(async () => {
    birds = canaries();
    const started = await startInstance();
    instance = started;
    const used = await useEverything(started, birds);
    await useCommands(started, birds);
    await collectRecords(started, used.owner, birds);
    await misuseEverything(started, used, birds);
    const code = await stop();
    birds.saw("stdout and stderr of the server", started.output());
    for (const { path, bytes } of started.collector.exports) birds.saw(`an export to ${path}`, bytes);
    expect(code).toBe(0);
    expect(started.output().split("\n").length).toBeGreaterThan(100);
  }, 180_000);
  afterAll(() => stop());

  const stop = async () => {
    const running = instance;
    instance = undefined;
    return running?.stop();
  };

  test.each(CLASSES)("10. a secret of the class %s was used, and shows nowhere", (kind) => {
    expect(birds.neverExercised()).not.toContain(kind);
    expect(birds.shown(kind)).toEqual([]);
  });

  async function collectRecords({ url }: Instance, owner: Parameters<typeof manage>[0], seen: Canaries): Promise<void> {
    const headers = { Cookie: owner.cookie };
    for (const Accept of ["application/json", "application/jsonl", "text/csv"]) {
      const answer = await audit({ region: "us", url, logs: () => [] }, { ...headers, Accept });
      expect(answer.status).toBe(200);
      seen.saw(`the audit log as ${Accept}`, await answer.text());
    }
    for (const path of ["/me", "/api-clients", "/tools", "/members", "/invitations"]) {
      const answer = await manage(owner, "GET", path);
      expect(answer.status).toBe(200);
      seen.saw(`the answer of ${path}`, await answer.text());
    }
  }
});

describe("the search itself", () => {
  const secret = newSecret("found");

  test.each<readonly [string, string | Uint8Array]>([
    ["as it is", `{"msg":"it is ${JSON.stringify(secret).slice(1, -1)}"}`],
    ["in plain text", `it is ${secret}.`],
    ["in a URL", `/path?x=${encodeURIComponent(secret)}&y=1`],
    ["in a URL, partly decoded", `/path/${decodeURI(encodeURIComponent(secret))}`],
    ["in a form", `x=${new URLSearchParams({ "": secret }).toString().slice(1)}&y=1`],
    ["in Basic credentials", `Basic ${Buffer.from(`user:${secret}`).toString("base64")}`],
    ["in base64url", Buffer.from(`ab${secret}cd`).toString("base64url")],
    ["in hexadecimal digits", Buffer.from(secret).toString("hex")],
    ["between bytes that are no text", Buffer.concat([Buffer.from([255, 0, 254]), Buffer.from(secret)])],
  ])("10. finds a secret: %s", (_, text) => {
    const birds = canaries();
    birds.add("API key", secret);
    birds.saw("a place", "nothing");
    expect(birds.shown("API key")).toEqual([]);
    birds.saw("another place", text);
    expect(birds.shown("API key")).toEqual([expect.stringContaining("another place: canary found")]);
  });

  test("10. names the classes that were not exercised, or of which there is no secret", () => {
    const birds = canaries();
    birds.add("API key", secret);
    birds.exercised("API key", true);
    birds.add("cookie", secret);
    birds.exercised("cookie", true);
    birds.exercised("cookie", false);
    birds.exercised("setup token", true);
    expect(birds.neverExercised()).toEqual(CLASSES.filter((kind) => kind !== "API key"));
  });
});
