import { type AccessToken, tokenFrom, tokenHolder, withToken } from "../access-token.ts";
import { jsonAnswer, secretFailure, secretHttp } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import type { SecretSources } from "../opener.ts";
import type { SecretProvider } from "../provider.ts";
import { parseProviderUrl } from "../provider-url.ts";
import { signInFailure } from "../refusal.ts";
import { vendorOrigin } from "../vendor-origin.ts";
import { type DelineaApi, readDelineaField, readDelineaSecret } from "./secret.ts";

const PROVIDER = "delinea";
const EXAMPLE = "delinea://tenant.secretservercloud.com?username=NAME&password=PASSWORD";

/**
 * Delinea Secret Server: `<secretName.fieldSlug>` is a field of the one secret with this name, in the folder of the URL when
 * it names one, else anywhere. The last dot divides, as names have dots and slugs have none. The URL's path is where Secret
 * Server is installed on the host.
 * @throws SecretError when the URL is not as documented; nothing is connected yet
 */
export function openDelinea(text: string, sources: SecretSources): SecretProvider {
  const url = parseProviderUrl(text, { example: EXAMPLE, parameters: ["username", "password", "folder"] });
  const base = [vendorOrigin(url), ...url.path.map(encodeURIComponent)].join("/");
  const credentials = { username: url.required("username"), password: url.required("password") };
  const send = secretHttp({ ...sources, provider: PROVIDER });

  const signIn = async (): Promise<AccessToken> => {
    const answer = await send({
      url: new URL(`${base}/oauth2/token`),
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ grant_type: "password", ...credentials }).toString(),
    });
    const granted = tokenFrom(answer);
    if (granted !== undefined) return granted;
    throw signInFailure(PROVIDER, answer, { code: jsonAnswer(answer)?.error, meanings: SIGNING_IN });
  };

  const token = tokenHolder(signIn, sources.clock);
  const apiFor = (reference: string): DelineaApi => ({
    get: (path) =>
      withToken(token, {
        send: (value) =>
          send({ url: new URL(`${base}/api/v1/${path}`), headers: { Authorization: `Bearer ${value}` }, reference }),
        // A token that has ended is answered with 403 as well.
        isRefused: ({ status }) => status === 401 || status === 403,
      }),
    failure: (reason) => secretFailure(PROVIDER, reference, reason),
  });
  const folder = url.parameter("folder");
  const read = oneFlight((name, reference) => readDelineaSecret(apiFor(reference), { folder, name }));
  return {
    async get(reference) {
      const api = apiFor(reference);
      const dot = reference.lastIndexOf(".");
      if (dot < 1) throw api.failure("no field is named; accepted: <secretName.fieldSlug>");
      return readDelineaField(api, await read(reference.slice(0, dot), reference), reference.slice(dot + 1));
    },
  };
}

const SIGNING_IN = {
  400: "the user name or the password is not valid, or the user may not use the API",
  401: "the user name or the password is not valid, or the user may not use the API",
};
