import { afterAll, beforeAll, expect, test } from "vitest";
import { type Signer, signAssertion, tokenParameters } from "../behaviour/fixture.ts";
import { type InProcess, ISSUER, START, startInProcess } from "../support/in-process.ts";
import { sendForm, signerOf } from "./in-process-client.ts";

/** More readings of the clock than one request takes. */
const READINGS = 30;

let product: InProcess;
let signer: Signer;
/** A millisecond passes with every reading. */
let time = START;

beforeAll(async () => {
  const clock = { now: () => time++ };
  product = await startInProcess({ adapt: (dependencies) => ({ ...dependencies, clock }) });
  signer = await signerOf(await product.createClient());
});
afterAll(() => product.close());

test.each(["token", "introspect", "revoke"])(
  "5. a jti does not count twice at %s while its assertion expires, wherever in the request that happens",
  async (endpoint) => {
    const expiry = Math.ceil(time / 1000 + 60) * 1000;
    const claims = { iat: START / 1000, exp: expiry / 1000 };
    const assertion = await signAssertion(signer, { url: ISSUER }, { claims });
    const send = async () => {
      const answer = await sendForm(product, `/oauth2/${endpoint}`, tokenParameters(assertion, { token: "unknown" }));
      return answer.status === 200 ? "accepted" : (answer.body as { error_description: string }).error_description;
    };
    expect(await send()).toBe("accepted");
    const answers: string[] = [];
    for (let reading = 0; reading <= READINGS; reading++) {
      time = expiry - reading;
      answers.push(await send());
    }
    // Both are met: the expiry passes before the claims are judged, and after.
    expect([...new Set(answers)]).toEqual(["expired JWT", "replayed JWT"]);
  },
);
