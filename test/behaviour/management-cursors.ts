import { expect, test } from "vitest";
import { answerOf, createClient, manage, type Owner } from "./fixture.ts";

interface ShownPage {
  readonly items: readonly { readonly clientId?: string }[];
  readonly nextCursor?: string;
}

const LISTS = ["/api-clients", "/api-clients?search=client", "/members", "/mcp-sessions", "/audit-events"];
/** The last three have the shapes of positions in stores. */
const NO_CURSORS = ["zzz", "7", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "1700000000000.user_x"];

/** Which cursors the lists of the management API go on with. */
export function cursors(owner: () => Owner): void {
  const get = (path: string, cursor?: string) => {
    const query = cursor === undefined ? "" : `${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
    return answerOf(manage(owner(), "GET", path + query));
  };
  const pageOf = async (path: string, cursor?: string): Promise<ShownPage> => {
    const { status, body } = await get(path, cursor);
    expect(status).toBe(200);
    return body as ShownPage;
  };
  const REFUSAL = { status: 422, body: { errors: [{ pointer: "/cursor" }] } };

  test.each(LISTS)("a text that is no cursor is refused, and starts no list anew: %s", async (path) => {
    for (const text of NO_CURSORS) expect(await get(path, text)).toMatchObject(REFUSAL);
  });

  test("a cursor that was cut, changed or given out by another list is refused, also for a download", async () => {
    const { nextCursor = "" } = await pageOf("/audit-events?limit=1");
    for (const text of [nextCursor.slice(0, -1), nextCursor.slice(1), nextCursor.toLowerCase()]) {
      expect(await get("/audit-events", text)).toMatchObject(REFUSAL);
    }
    expect(await get("/api-clients", nextCursor)).toMatchObject(REFUSAL);
    const url = `${owner().region.url}/api/v1/audit-events?cursor=${encodeURIComponent(nextCursor.slice(0, -1))}`;
    const download = await fetch(url, { headers: { Cookie: owner().cookie, Accept: "text/csv" } });
    expect(await answerOf(Promise.resolve(download))).toMatchObject(REFUSAL);
    expect((await pageOf("/audit-events?limit=1", nextCursor)).items).toHaveLength(1);
  });

  test("a cursor goes on when what stood at its place is gone", async () => {
    const name = `paged ${crypto.randomUUID()}`;
    const older = await createClient(owner(), { name });
    const newer = await createClient(owner(), { name });
    const path = `/api-clients?search=${encodeURIComponent(name)}&limit=1`;
    const { items, nextCursor } = await pageOf(path);
    expect(items).toMatchObject([{ clientId: newer }]);
    expect((await answerOf(manage(owner(), "DELETE", `/api-clients/${newer}`))).status).toBe(204);
    expect((await pageOf(path, nextCursor)).items).toMatchObject([{ clientId: older }]);
  });
}
