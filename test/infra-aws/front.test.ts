import { describe, expect, test } from "vitest";
import { ORIGIN_HEADER, openFront, VIEWER_ADDRESS_HEADER, VIEWER_HOST_HEADER } from "../../infra/aws/front.ts";
import { eventOf } from "./support/event.ts";

const ORIGIN_SECRET = "a secret between two services";
const forwarded = { [VIEWER_HOST_HEADER]: "id.example", [VIEWER_ADDRESS_HEADER]: "203.0.113.7" };

describe("the front of the function", () => {
  const front = openFront({ ORIGIN_SECRET });

  test("refuses a request without the origin secret", async () => {
    expect(await front.identify(eventOf({ headers: forwarded }))).toBeUndefined();
  });

  test.each(["", ",", "a secret between two service", `${ORIGIN_SECRET} `, `x,y,${ORIGIN_SECRET}`])(
    "refuses the wrong origin secret %j",
    async (wrong) => {
      expect(await front.identify(eventOf({ headers: { ...forwarded, [ORIGIN_HEADER]: wrong } }))).toBeUndefined();
    },
  );

  test("believes host and address that come with the origin secret", async () => {
    const caller = await front.identify(eventOf({ headers: { ...forwarded, [ORIGIN_HEADER]: ORIGIN_SECRET } }));
    expect(caller).toEqual({ host: "id.example", remoteAddress: "203.0.113.7" });
  });

  test("while the secret changes, function and distribution understand each other in every order", async () => {
    const [before, during, after] = [
      ORIGIN_SECRET,
      `another secret of theirs,${ORIGIN_SECRET}`,
      "another secret of theirs",
    ];
    const isServed = async (secret: string, shown: string) =>
      (await openFront({ ORIGIN_SECRET: secret }).identify(eventOf({ headers: { [ORIGIN_HEADER]: shown } }))) !==
      undefined;
    expect(await Promise.all([isServed(during, before), isServed(before, during)])).toEqual([true, true]);
    expect(await isServed(during, during)).toBe(true);
    expect(await Promise.all([isServed(during, after), isServed(after, during)])).toEqual([true, true]);
    expect(await Promise.all([isServed(after, before), isServed(before, after)])).toEqual([false, false]);
  });

  test.each([undefined, "", "too short", `${ORIGIN_SECRET},`, `${ORIGIN_SECRET},short`, `${ORIGIN_SECRET},`.repeat(3)])(
    "does not start with the origin secret %j",
    (secret) => {
      expect(() => openFront({ ORIGIN_SECRET: secret })).toThrow("ORIGIN_SECRET must have at least 16 characters");
    },
  );
});
