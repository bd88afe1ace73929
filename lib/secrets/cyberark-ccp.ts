import { OutboundError } from "../net/outbound.ts";
import { pickMember } from "./field.ts";
import { jsonAnswer, refusalReason, type SecretAnswer, secretFailure, secretHttp } from "./http.ts";
import { oneFlight } from "./one-flight.ts";
import type { SecretSources } from "./provider.ts";
import { SecretError, type SecretProvider } from "./provider.ts";
import { type ProviderUrl, parseProviderUrl, refusePath, vendorOrigin } from "./provider-url.ts";

const PROVIDER = "cyberarkccp";
const EXAMPLE =
  "cyberarkccp://ccp.example.com?appID=APP&safe=SAFE&certFile=/path/to/client.pem&keyFile=/path/to/client-key.pem";

/**
 * CyberArk Central Credential Provider: `<object.field>` is a field of the account `object` in the safe, in any case, and
 * `<object>` its `Content`, the password. The last dot divides, as names of objects have dots and fields have none.
 * @throws SecretError when the URL is not as documented, its files cannot be read, or the runtime has no client certificates
 */
export function openCyberarkCcp(text: string, sources: SecretSources): SecretProvider {
  const url = parseProviderUrl(text, {
    example: EXAMPLE,
    parameters: ["appID", "safe", "certFile", "keyFile", "caFile", "folder"],
  });
  refusePath(url, EXAMPLE);
  const origin = vendorOrigin(url);
  const query = { AppID: url.required("appID"), Safe: url.required("safe"), Folder: url.parameter("folder") };
  const send = secretHttp({ ...sources, provider: PROVIDER, fetch: certifiedFetch(url, sources) });
  const read = oneFlight((object, reference) =>
    send({ url: accountUrl(origin, { ...query, Object: object }), reference }),
  );
  return {
    async get(reference) {
      const { object, field } = placeOf(reference);
      if (object === "") throw secretFailure(PROVIDER, reference, "no account is named; accepted: <object.field>");
      const account = accountOf(await read(object, reference), reference);
      const picked = pickMember(account, field.toLowerCase());
      if ("value" in picked) return picked.value;
      throw secretFailure(PROVIDER, reference, `the account ${object} ${picked.reason}`);
    },
  };
}

/** A `fetch` with the client certificate of the URL. */
function certifiedFetch(url: ProviderUrl, { openFetch }: SecretSources): typeof globalThis.fetch {
  const [certFile, keyFile, caFile] = [url.required("certFile"), url.required("keyFile"), url.parameter("caFile")];
  if (openFetch === undefined) {
    throw new SecretError(`The secret provider ${PROVIDER} needs a client certificate, which only Node can present.`);
  }
  try {
    return openFetch({ certFile, keyFile, ...(caFile !== undefined && { caFile }) });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new SecretError(`The secret provider ${PROVIDER} cannot use its client certificate: ${error.message}`, {
      cause: error,
    });
  }
}

/** The service reads `+` as it stands, so that spaces have to be `%20`. */
function accountUrl(origin: string, query: Readonly<Record<string, string | undefined>>): URL {
  const pairs = Object.entries(query)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return new URL(`/AIMWebService/api/Accounts?${pairs.join("&")}`, origin);
}

function placeOf(reference: string): { readonly object: string; readonly field: string } {
  const dot = reference.lastIndexOf(".");
  if (dot === -1) return { object: reference, field: "Content" };
  return { object: reference.slice(0, dot), field: reference.slice(dot + 1) };
}

/** The fields of an account, their names in lower case. */
function accountOf(answer: SecretAnswer, reference: string): Readonly<Record<string, unknown>> {
  const body = jsonAnswer(answer);
  if (answer.status !== 200) {
    throw secretFailure(PROVIDER, reference, refusalReason(answer.status, body?.ErrorCode, READING));
  }
  if (body === undefined) throw secretFailure(PROVIDER, reference, "its answer is no account");
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
}

const READING = {
  403: "the application, this machine or the client certificate is not allowed",
  404: "there is no such account in the safe, or the application may not see it",
};
