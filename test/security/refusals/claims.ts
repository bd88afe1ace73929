import { secondsFromNow, signAssertion } from "../../behaviour/fixture.ts";
import type { AssertionCase, AssertionRow } from "./row.ts";

/** Beyond every limit by more than a slow machine takes. */
const FAR = 120;

export const badAudience: AssertionRow = {
  description: "invalid JWT audience",
  cases: [
    claim("without aud", "aud", () => undefined),
    claim("whose aud is elsewhere", "aud", () => "https://elsewhere.example"),
    claim("whose aud is an array of the issuer", "aud", (url) => [url]),
    claim("whose aud is an array of the token endpoint", "aud", (url) => [`${url}/oauth2/token`]),
    claim("whose aud is an array of the issuer and another", "aud", (url) => [url, "https://elsewhere.example"]),
    claim("whose aud is an empty array", "aud", () => []),
    claim("whose aud has a slash at its end", "aud", (url) => `${url}/`),
    claim("whose aud has a host in upper case", "aud", (url) => url.replace("http:", "HTTP:")),
    claim("whose aud is the introspection endpoint", "aud", (url) => `${url}/oauth2/introspect`),
    ["whose aud is the other region", ({ signer, us, uk }) => signAssertion(signer, us, { claims: { aud: uk.url } })],
  ],
};

export const expired: AssertionRow = {
  description: "expired JWT",
  cases: [
    claim("whose exp was a second ago", "exp", () => secondsFromNow(-1)),
    claim("whose exp is now", "exp", () => secondsFromNow(0)),
    claim("whose exp is zero", "exp", () => 0),
    claim("whose exp is negative", "exp", () => -1e300),
  ],
};

export const badClaims: AssertionRow = {
  description: "invalid JWT claims",
  cases: [
    claim("without iss", "iss", () => undefined),
    claim("whose iss is the issuer", "iss", (url) => url),
    [
      "whose iss is another client",
      ({ signer, other, us }) => signAssertion(signer, us, { claims: { iss: other.clientId } }),
    ],
    ["whose iss is an array", ({ signer, us }) => signAssertion(signer, us, { claims: { iss: [signer.clientId] } })],
    claim("without exp", "exp", () => undefined),
    ...["never", "", null, true, [], {}].map((exp) => claim(`whose exp is ${JSON.stringify(exp)}`, "exp", () => exp)),
    claim("whose exp is a number in a string", "exp", () => `${secondsFromNow(60)}`),
    claim("whose exp is beyond the cap", "exp", () => secondsFromNow(3600 + 30 + FAR)),
    claim("whose exp is in milliseconds", "exp", () => secondsFromNow(60) * 1000),
    claim("whose exp is the largest number", "exp", () => Number.MAX_VALUE),
    ...["nbf", "iat"].flatMap((name) => [
      claim(`whose ${name} is ahead beyond the skew`, name, () => secondsFromNow(30 + FAR)),
      ...["now", "", null, true, [], {}].map((time) =>
        claim(`whose ${name} is ${JSON.stringify(time)}`, name, () => time),
      ),
    ]),
    ...["", 1, null, [], {}].map((jti) => claim(`whose jti is ${JSON.stringify(jti)}`, "jti", () => jti)),
    ...["at+jwt", "id+jwt", "application/at+jwt", "dpop+jwt", "", 1, null, ["JWT"]].map(
      (typ): AssertionCase => [
        `of typ ${JSON.stringify(typ)}`,
        ({ signer, us }) => signAssertion(signer, us, { header: { typ } }),
      ],
    ),
  ],
};

/** An assertion that is right but for one claim. */
function claim(condition: string, name: string, value: (url: string) => unknown): AssertionCase {
  return [condition, ({ signer, us }) => signAssertion(signer, us, { claims: { [name]: value(us.url) } })];
}
