import { describe, expect, test } from "vitest";
import { ORIGIN_HEADER, openFront, VIEWER_ADDRESS_HEADER, VIEWER_HOST_HEADER } from "../../infra/aws/front.ts";
import { eventOf } from "./support/event.ts";

const ORIGIN_SECRET = "a secret between two services";
const forwarded = { [VIEWER_HOST_HEADER]: "id.example", [VIEWER_ADDRESS_HEADER]: "203.0.113.7" };

describe("the front of the function", () => {
  const front = openFront({ ORIGIN_SECRET });

  test("refuses a request without the origin secret", () => {
    expect(front.identify(eventOf({ headers: forwarded }))).toBeUndefined();
  });

  test.each(["", "a secret between two service", `${ORIGIN_SECRET} `])(
    "refuses the wrong origin secret %j",
    (wrong) => {
      expect(front.identify(eventOf({ headers: { ...forwarded, [ORIGIN_HEADER]: wrong } }))).toBeUndefined();
    },
  );

  test("believes host and address that come with the origin secret", () => {
    const caller = front.identify(eventOf({ headers: { ...forwarded, [ORIGIN_HEADER]: ORIGIN_SECRET } }));
    expect(caller).toEqual({ host: "id.example", remoteAddress: "203.0.113.7" });
  });

  test("believes no forwarded host and address when no origin secret is configured", () => {
    const caller = openFront({}).identify(eventOf({ headers: { ...forwarded, host: "url.example" } }));
    expect(caller).toEqual({ host: "url.example", remoteAddress: "192.0.2.1" });
  });

  test("does not start with an origin secret that can be guessed", () => {
    expect(() => openFront({ ORIGIN_SECRET: "" })).toThrow("ORIGIN_SECRET must have at least 16 characters");
  });
});
