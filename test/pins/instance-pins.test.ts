import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { approveTool, forgetPins, heldTool } from "../../lib/pins/decide-pins.ts";
import { createInstancePins, FRESH, type PinnedApp, RECENT, storedPins } from "../../lib/pins/instance-pins.ts";
import { MOST_AT_ONCE } from "../../lib/pins/versions.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import { type ToolVersion, toolVersion } from "../../lib/upstream/catalog/tool-version.ts";
import { recordedIn } from "../contract/exchange-records.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";

const waitUntil = () => undefined;
const ORGANIZATION = "org_1";
const KEY = { organizationId: ORGANIZATION, app: "ledger" };
const APP: PinnedApp = { name: "ledger", pins: { first: "trust" } };
const version = (tool: string, description = "As it was."): ToolVersion =>
  toolVersion(tool, { name: tool, description });

describe("pins of an instance", () => {
  let product: InProcess;
  beforeEach(async () => {
    product = await startInProcess({
      configuration: { apps: [{ ...APP, type: "mcpProxy" } as never] },
    });
  });
  afterEach(() => product.close());

  const ports = (stores: Partial<Stores> = {}) => ({
    ...product.dependencies,
    stores: { ...product.dependencies.stores, ...stores },
    organizationOf: async () => ORGANIZATION,
  });
  const actor = { id: "user_1", organizationId: ORGANIZATION };
  const events = (type: "tool.held" | "tool.pinned", atLeast = 1) =>
    recordedIn(product.dependencies.stores, { organizationId: ORGANIZATION, type }, atLeast);

  test("74. of instances that list first at once one approves, and what another was told otherwise is held", async () => {
    const instances = Array.from({ length: 8 }, () => createInstancePins(ports()));
    const told = (number: number) => [version("same"), version("own", `To instance ${number}.`)];
    await Promise.all(instances.map((pins, number) => pins.listed(APP, told(number), waitUntil)));
    expect(await events("tool.pinned")).toHaveLength(1);
    const record = await product.dependencies.stores.pins.readPins(KEY);
    expect(record.tools.map(({ tool, approved }) => [tool, approved.length])).toEqual([
      ["same", 1],
      ["own", 1],
    ]);
    const approved = record.tools[1]?.approved[0]?.digest;
    for (const [number, pins] of instances.entries()) {
      const [same, own] = await pins.statesOf(APP, told(number), waitUntil);
      expect([same, own]).toEqual([
        "approved",
        version("own", `To instance ${number}.`).digest === approved ? "approved" : "held",
      ]);
    }
    // Texts are there for what is known, and for nothing else.
    const digests = instances.map((_, number) => version("own", `To instance ${number}.`).digest);
    const kept = await product.dependencies.stores.pins.definitions(KEY, digests);
    const known = [...(record.tools[1]?.approved ?? []), ...(record.tools[1]?.held ?? [])];
    for (const { digest } of known) expect(kept.map((one) => one.digest)).toContain(digest);
  });

  test("74. each held version has one event, however many instances list it, and a long list takes several changes", async () => {
    const instances = Array.from({ length: 3 }, () => createInstancePins(ports()));
    const tools = Array.from({ length: 2 * MOST_AT_ONCE + 1 }, (_, number) => `tool ${number}`);
    await instances[0]?.listed(
      APP,
      tools.map((tool) => version(tool)),
      waitUntil,
    );
    const changed = tools.map((tool) => version(tool, "As it is now."));
    await Promise.all(instances.map((pins) => pins.listed(APP, changed, waitUntil)));
    for (const pins of instances) await pins.listed(APP, changed, waitUntil);
    expect(await events("tool.held", tools.length)).toHaveLength(tools.length);
  });

  test("74. an approval is known at once where somebody waits, and taken back for every instance soon", async () => {
    const pins = createInstancePins(ports());
    await pins.listed(APP, [version("tool")], waitUntil);
    const now = version("tool", "As it is now.");
    await pins.listed(APP, [now], waitUntil);
    expect(await pins.statesOf(APP, [now, version("tool")], waitUntil)).toEqual(["held", "approved"]);
    await approveTool(ports(), actor, APP.name, { digest: now.digest });
    product.clock.set(product.clock.now() + RECENT);
    expect(await pins.statesOf(APP, [now], waitUntil)).toEqual(["approved"]);
    await forgetPins(ports(), actor, APP.name, { tool: "tool" });
    product.clock.set(product.clock.now() + FRESH);
    expect(await pins.statesOf(APP, [now], waitUntil)).toEqual(["held"]);
    expect(await storedPins(ports()).statesOf(APP, [now], waitUntil)).toEqual(["held"]);
  });

  test("74. where the decision was taken it is known at once", async () => {
    const pins = createInstancePins(ports());
    await pins.listed(APP, [version("tool")], waitUntil);
    await forgetPins(ports(), actor, APP.name, { tool: "tool" });
    pins.decided(APP.name);
    expect(await pins.statesOf(APP, [version("tool")], waitUntil)).toEqual(["held"]);
  });

  test("74. of a forgotten app the next list is the first", async () => {
    const pins = createInstancePins(ports());
    await pins.listed(APP, [version("tool")], waitUntil);
    await forgetPins(ports(), actor, APP.name, {});
    product.clock.set(product.clock.now() + FRESH);
    await pins.listed(APP, [version("tool", "As it is now.")], waitUntil);
    expect(await pins.statesOf(APP, [version("tool", "As it is now."), version("tool")], waitUntil)).toEqual([
      "approved",
      "held",
    ]);
    await expect(heldTool(ports(), ORGANIZATION, APP.name, version("tool").digest)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("74. a store that does not answer approves nothing: what was known goes on for a moment, and then nothing", async () => {
    let isAway = false;
    const { pins: stored } = product.dependencies.stores;
    const readPins: typeof stored.readPins = async (key) => {
      if (isAway) throw new Error("away");
      return stored.readPins(key);
    };
    const pins = createInstancePins(ports({ pins: { ...stored, readPins } }));
    await pins.listed(APP, [version("tool")], waitUntil);
    isAway = true;
    expect(await pins.statesOf(APP, [version("tool")], waitUntil)).toEqual(["approved"]);
    product.clock.set(product.clock.now() + FRESH);
    await expect(pins.statesOf(APP, [version("tool")], waitUntil)).rejects.toThrow(StoreUnavailableError);
    await expect(pins.listed(APP, [version("tool", "As it is now.")], waitUntil)).rejects.toThrow(
      StoreUnavailableError,
    );
  });

  test("74. tools of a document are noted when somebody asks for them first, and held when the document has changed", async () => {
    const first = createInstancePins(ports(), new Map([[APP.name, () => [version("a"), version("b")]]]));
    expect(await first.statesOf(APP, [version("a")], waitUntil)).toEqual(["approved"]);
    const later = createInstancePins(ports(), new Map([[APP.name, () => [version("a"), version("b", "Changed.")]]]));
    expect(await later.statesOf(APP, [version("a"), version("b", "Changed.")], waitUntil)).toEqual([
      "approved",
      "held",
    ]);
    expect(await events("tool.held")).toHaveLength(1);
  });
});
