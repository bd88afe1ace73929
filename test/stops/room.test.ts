import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listStops, placeStop } from "../../lib/stops/change-stops.ts";
import type { StopActor } from "../../lib/stops/requested-stop.ts";
import { STOPS_OF_ONE } from "../../lib/stores/stops.ts";
import { createdOrganization } from "../contract/member-records.ts";
import { type Organization, startOrganization } from "../directory/people.ts";

describe("52. the room for stops", () => {
  let first: Organization;
  let other: StopActor;
  let operator: StopActor;

  beforeAll(async () => {
    first = await startOrganization();
    const { owner, product, organizationId } = first;
    const person = { userId: owner.userId, email: "owner@example.com", createdAt: 0 };
    const made = await createdOrganization(product.dependencies.stores, person);
    other = { id: owner.userId, organizationId: made.organizationId };
    operator = { id: "command line", organizationId, isOperator: true };
  });
  afterAll(() => first.product.close());

  const place = (actor: StopActor, stop: object) =>
    placeStop(first.product.dependencies, actor, {
      kind: "agent",
      id: crypto.randomUUID(),
      state: "ended",
      reason: "It does harm.",
      ...stop,
    });

  test("52. one organization does not keep the document of all busy: beyond 60 changes there is one a second", async () => {
    const { owner } = first;
    const statuses: number[] = [];
    for (let change = 0; change < 61; change++) statuses.push((await owner.call("POST", "/stops", {})).status);
    expect(statuses).toEqual([...Array(60).fill(422), 429]);
    expect((await owner.call("POST", "/stops/unknown/resume", { reason: "It is mended." })).status).toBe(404);
  });

  test("52. one organization fills its own share, by number and by bytes, and keeps nobody from stopping", async () => {
    const full = (what: string) => new RegExp(`An organization has at most ${what} of their texts\\.`);
    const long = { id: `https://agent.example/${"x".repeat(480)}`, reason: "\u4e16".repeat(200) };
    let placed = 0;
    const fill = async (stop: (number: number) => object) => {
      for (; placed <= STOPS_OF_ONE.stops; placed++) await place(other, stop(placed));
    };
    await expect(fill((number) => ({ ...long, id: `${long.id}${number}` }))).rejects.toThrow(full("30 ends or 12 KiB"));
    expect(placed).toBeLessThan(STOPS_OF_ONE.stops / 2);
    await place(other, { state: "suspended" });
    await place(other, { kind: "organization", id: other.organizationId });
    expect(await listStops(first.product.dependencies, other)).toHaveLength(2);
    placed = 2;
    await expect(fill(() => ({ state: "suspended" }))).rejects.toThrow(full("40 stops or 16 KiB"));
    expect(placed).toBe(STOPS_OF_ONE.stops);
    await place(operator, { state: "suspended" });
    const { stop } = await place(operator, { kind: "organization", id: other.organizationId });
    const left = await listStops(first.product.dependencies, operator);
    expect(left[0]).toEqual(stop);
    expect(left.filter(({ state, organizationId }) => state === "ended" && organizationId !== undefined)).toEqual([]);
  });
});
