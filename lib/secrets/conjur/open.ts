import { base64, utf8 } from "../../kernel/encoding.ts";
import { type AccessToken, tokenHolder, withToken } from "../access-token.ts";
import { textIn } from "../field.ts";
import { jsonAnswer, refusalReason, secretFailure, secretHttp, signInFailure } from "../http.ts";
import type { SecretSources } from "../provider.ts";
import { SecretError, type SecretProvider } from "../provider.ts";
import { parseProviderUrl, vendorOrigin } from "../provider-url.ts";

const PROVIDER = "conjur";
/** A token's life unless the server is configured otherwise, in which case it refuses the token and a new one is asked for. */
const TOKEN_LIFETIME = 8 * 60_000;
/** Characters; what is longer does not fit into a header. */
const TOKEN_LIMIT = 8_192;

/**
 * CyberArk Conjur: `<policy.variable>` is the variable `policy/variable`. The first dot is the slash between them; other
 * slashes are written as such. Always over TLS.
 * @throws SecretError when the URL is not as documented; nothing is connected yet
 */
export function openConjur(text: string, sources: SecretSources): SecretProvider {
  const { origin, account, login, apiKey } = parseConjurUrl(text);
  const send = secretHttp({ ...sources, provider: PROVIDER });

  const signIn = async (): Promise<AccessToken> => {
    const url = urlOf(origin, "authn", account, login, "authenticate");
    const answer = await send({ url, method: "POST", headers: { "Content-Type": "text/plain" }, body: apiKey });
    const isToken = answer.status === 200 && answer.text.length <= TOKEN_LIMIT && jsonAnswer(answer) !== undefined;
    if (!isToken) throw signInFailure(PROVIDER, answer, { meanings: SIGNING_IN });
    // The form in which the `Authorization` header takes it. Conjur encodes it itself when asked by `Accept-Encoding: base64`,
    // but that header is the runtime's own on Workers.
    return { value: base64(utf8(answer.text)), lifetime: TOKEN_LIFETIME };
  };

  const token = tokenHolder(signIn, sources.clock);
  return {
    async get(reference) {
      const url = urlOf(origin, "secrets", account, "variable", reference.replace(".", "/"));
      const { status, bytes } = await withToken(token, {
        send: (held) => send({ url, headers: { Authorization: `Token token="${held}"` }, reference }),
        isRefused: (answer) => answer.status === 401,
      });
      if (status !== 200) throw secretFailure(PROVIDER, reference, refusalReason(status, undefined, READING));
      const picked = textIn(bytes);
      if ("value" in picked) return picked.value;
      throw secretFailure(PROVIDER, reference, `it ${picked.reason}`);
    },
  };
}

const READING = {
  401: "the token is not accepted",
  403: "the login may not read it",
  404: "there is no such variable, it has no value, or the login may not see it",
};

const SIGNING_IN = { 401: "the account, the login or the API key is not valid" };

function urlOf(origin: string, ...segments: readonly string[]): URL {
  return new URL(`/${segments.map(encodeURIComponent).join("/")}`, origin);
}

interface ConjurUrl {
  readonly origin: string;
  readonly account: string;
  /** `host/…` for a machine, else a user's name. */
  readonly login: string;
  readonly apiKey: string;
}

const EXAMPLE = "conjur://conjur.example.com/ACCOUNT/host%2Fcountersign?apikey=KEY";

/** @throws SecretError that names the part that is wrong and what is accepted */
function parseConjurUrl(text: string): ConjurUrl {
  const url = parseProviderUrl(text, { example: EXAMPLE, parameters: ["apikey"] });
  const [account, login, ...rest] = url.path;
  if (account === undefined || login === undefined || rest.length > 0) {
    throw new SecretError(
      `The secret provider conjur needs two segments in its path, the account and the login with %2F for /, for example ${EXAMPLE}.`,
    );
  }
  return { origin: vendorOrigin(url), account, login, apiKey: url.required("apikey") };
}
