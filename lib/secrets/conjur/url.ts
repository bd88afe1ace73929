import { SecretError } from "../provider.ts";
import { parseProviderUrl } from "../provider-url.ts";
import { vendorOrigin } from "../vendor-origin.ts";

export interface ConjurUrl {
  readonly origin: string;
  readonly account: string;
  /** `host/…` for a machine, else a user's name. */
  readonly login: string;
  readonly apiKey: string;
}

const EXAMPLE = "conjur://conjur.example.com/ACCOUNT/host%2Fcountersign?apikey=KEY";

/** @throws SecretError that names the part that is wrong and what is accepted */
export function parseConjurUrl(text: string): ConjurUrl {
  const url = parseProviderUrl(text, { example: EXAMPLE, parameters: ["apikey"] });
  const [account, login, ...rest] = url.path;
  if (account === undefined || login === undefined || rest.length > 0) {
    throw new SecretError(
      `The secret provider conjur needs two segments in its path, the account and the login with %2F for /, for example ${EXAMPLE}.`,
    );
  }
  return { origin: vendorOrigin(url), account, login, apiKey: url.required("apikey") };
}
