import { expect, test } from "vitest";
import { secondsFromNow } from "../behaviour/fixture.ts";
import { refusal, type SecurityContext, tokenAnswer } from "./context.ts";

/** Limits to within seconds, because the clock is real here; to the millisecond in `04-lifetime.test.ts`. */
export function lifetime(context: SecurityContext): void {
  const invalidClaims = refusal("invalid JWT claims");

  test.each([undefined, null, "", "never", [], {}, true, "1e400"])("4. exp %j is refused", async (exp) => {
    expect(await tokenAnswer(context, { claims: { exp } })).toMatchObject(invalidClaims);
  });

  test("4. exp now, a second ago, zero or negative is refused: skew never extends it", async () => {
    for (const exp of [secondsFromNow(0), secondsFromNow(-1), 0, -1, -1e300]) {
      expect(await tokenAnswer(context, { claims: { exp } })).toMatchObject(refusal("expired JWT"));
    }
  });

  test("4. exp beyond the longest lifetime plus skew is refused, below it accepted", async () => {
    for (const exp of [secondsFromNow(3600 + 30 + 10), 1e300, Number.MAX_SAFE_INTEGER]) {
      expect(await tokenAnswer(context, { claims: { exp } })).toMatchObject(invalidClaims);
    }
    expect((await tokenAnswer(context, { claims: { exp: secondsFromNow(3600 + 15) } })).status).toBe(200);
  });

  test.each(["nbf", "iat"])("4. %s ahead beyond the skew is refused, within it accepted", async (name) => {
    for (const value of [secondsFromNow(45), "now", null]) {
      expect(await tokenAnswer(context, { claims: { [name]: value } })).toMatchObject(invalidClaims);
    }
    expect((await tokenAnswer(context, { claims: { [name]: secondsFromNow(20) } })).status).toBe(200);
  });
}
