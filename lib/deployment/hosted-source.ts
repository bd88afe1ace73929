import type { Clock } from "../kernel/clock.ts";
import { awsHost, credentialsOf } from "../secrets/aws/open-by-fetch.ts";
import { signed } from "../secrets/aws/signature.ts";
import { type AzureIdentity, azureCredential } from "../secrets/azure/credential.ts";
import { gcpSignIn } from "../secrets/gcp/sign-in.ts";
import { secretHttp } from "../secrets/http.ts";
import type { ReadFile } from "../secrets/provider.ts";
import type { HostedScheme } from "./settings.ts";
import { type BundleSource, DeploymentError, type FetchedPlace, fetchedSource } from "./source.ts";

export interface HostedPorts {
  readonly fetch: typeof globalThis.fetch;
  /** Has the credentials. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Absent where there are no files. */
  readonly readFile?: ReadFile;
  /** Bytes of a bundle. */
  readonly limit: number;
}

/**
 * A bundle in a store of objects, or in a repository. Credentials are looked for where the vendor's own tools look for them in the
 * environment. A token of Azure or Google is asked for with each look: that is once an interval.
 *
 * @throws DeploymentError that says how the source is written
 */
export async function hostedSource(source: URL, ports: HostedPorts): Promise<BundleSource> {
  const scheme = source.protocol.slice(0, -1) as HostedScheme;
  return fetchedSource(await PLACES[scheme](source, ports), ports.fetch, ports.limit);
}

type PlaceOf = (source: URL, ports: HostedPorts) => FetchedPlace | Promise<FetchedPlace>;

const PLACES: Readonly<Record<HostedScheme, PlaceOf>> = {
  azblob: azurePlace,
  github: githubPlace,
  gitlab: gitlabPlace,
  gs: googlePlace,
  s3: s3Place,
};

/** `GET /repos/{owner}/{repo}/contents/{path}`, which answers with the file itself where `raw` is asked for. */
function githubPlace(source: URL, { environment }: HostedPorts): FetchedPlace {
  const { host, path, parameters } = parts(source, "github://OWNER/REPOSITORY/PATH?ref=BRANCH", ["ref", "api"]);
  const [repository = "", ...file] = path.split("/");
  if (file.length === 0) throw wrong("github://OWNER/REPOSITORY/PATH?ref=BRANCH");
  const api = endpoint(parameters.api, "api") ?? "https://api.github.com";
  const address = new URL(`${api}/repos/${host}/${repository}/contents/${file.join("/")}`);
  if (parameters.ref !== undefined) address.searchParams.set("ref", parameters.ref);
  const headers = {
    Accept: "application/vnd.github.raw+json",
    "X-GitHub-Api-Version": "2022-11-28",
    "User-Agent": "Countersign",
    ...bearer(environment.SVC_CONFIG_TOKEN),
  };
  return { name: nameOf(source), address, headers: () => headers };
}

/** `GET /projects/{id}/repository/files/{path}/raw`. */
function gitlabPlace(source: URL, { environment }: HostedPorts): FetchedPlace {
  const form = "gitlab://HOST/GROUP/PROJECT/-/PATH?ref=BRANCH";
  const { host, path, parameters } = parts(source, form, ["ref"]);
  const [project, file] = path.split("/-/");
  if (!project || !file) throw wrong(form);
  const isLoopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
  const origin = `${isLoopback ? "http" : "https"}://${host}`;
  const address = new URL(
    `${origin}/api/v4/projects/${encodeURIComponent(project)}/repository/files/${encodeURIComponent(file)}/raw`,
  );
  address.searchParams.set("ref", parameters.ref ?? "HEAD");
  const headers = bearer(environment.SVC_CONFIG_TOKEN);
  return { name: nameOf(source), address, headers: () => headers };
}

const NOTHING_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** `GetObject`, signed where there are credentials: a bundle may be public, as its signature is what counts. */
function s3Place(source: URL, { environment, clock }: HostedPorts): FetchedPlace {
  const form = "s3://BUCKET/KEY?region=REGION&endpoint=URL";
  const { host, path, parameters } = parts(source, form, ["region", "endpoint"]);
  const region = parameters.region ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION);
  if (!region || !/^[a-z0-9-]{1,64}$/.test(region)) throw wrong(form, "it needs a region; R2 has `auto`");
  const own = endpoint(parameters.endpoint, "endpoint");
  // The certificate of the buckets' hosts is for one label.
  const base = host.includes(".")
    ? `https://${awsHost(region, "s3")}/${host}`
    : `https://${host}.${awsHost(region, "s3")}`;
  const address = new URL(`${own === undefined ? base : `${own}/${host}`}/${path}`);
  const request = {
    method: "GET",
    url: address,
    headers: { "X-Amz-Content-Sha256": NOTHING_SHA256 },
    body: "",
  } as const;
  return {
    name: nameOf(source),
    address,
    headers: () => {
      const credentials = credentialsOf(environment);
      return credentials === undefined ? {} : signed(request, { credentials, region, service: "s3", now: clock.now() });
    },
  };
}

/** An object by the XML API, with a token as the secret provider of Google has it. */
async function googlePlace(source: URL, ports: HostedPorts): Promise<FetchedPlace> {
  const { host, path } = parts(source, "gs://BUCKET/KEY", []);
  const send = secretHttp({ ...ports, provider: "gs" });
  const token = await gcpSignIn({ ...ports, provider: "gs", send });
  return {
    name: nameOf(source),
    address: new URL(`https://storage.googleapis.com/${host}/${path}`),
    headers: async () => bearer((await token()).value),
  };
}

/** `Get Blob`, as the client of AZURE_CLIENT_ID, or else as the machine. */
function azurePlace(source: URL, ports: HostedPorts): FetchedPlace {
  const form = "azblob://ACCOUNT/CONTAINER/KEY";
  const { host, path } = parts(source, form, []);
  if (!/^[a-z0-9]{3,24}$/.test(host) || !path.includes("/")) throw wrong(form);
  const { AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET } = ports.environment;
  const identity: AzureIdentity = AZURE_CLIENT_SECRET
    ? {
        ...{ kind: "client", tenantId: AZURE_TENANT_ID ?? "", clientId: AZURE_CLIENT_ID ?? "" },
        ...{ clientSecret: AZURE_CLIENT_SECRET, entraOrigin: "https://login.microsoftonline.com" },
      }
    : { kind: "managed", clientId: AZURE_CLIENT_ID || undefined };
  const send = secretHttp({ ...ports, provider: "azblob" });
  return {
    name: nameOf(source),
    address: new URL(`https://${host}.blob.core.windows.net/${path}`),
    headers: async () => {
      const { token } = azureCredential({ ...ports, provider: "azblob", identity, send });
      return {
        "x-ms-version": "2021-12-02",
        "x-ms-date": new Date(ports.clock.now()).toUTCString(),
        ...bearer(await token("https://storage.azure.com/.default")),
      };
    },
  };
}

interface Parts {
  readonly host: string;
  /** Without the first slash. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

function parts(source: URL, form: string, known: readonly string[]): Parts {
  const { host, pathname, searchParams, username, password, hash } = source;
  const path = pathname.slice(1);
  const isPlain = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/.test(path) && /^[A-Za-z0-9._:[\]-]+$/.test(host);
  const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
  if (!isPlain || username + password + hash !== "" || unknown !== undefined) {
    throw wrong(form, "host and path have letters, digits and . _ ~ - / only, and credentials are in variables");
  }
  return { host, path, parameters: Object.fromEntries(searchParams) };
}

/** An https URL without query, or one on this machine; undefined: none is given. */
function endpoint(text: string | undefined, parameter: string): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  const isPlain = url !== undefined && url.username + url.password + url.search + url.hash === "";
  if (!isPlain || !(url.protocol === "https:" || isLocal))
    throw new DeploymentError(`SVC_CONFIG_SOURCE: the parameter ${parameter} is no https URL without a query.`);
  return url.href.replace(/\/+$/, "");
}

function bearer(token: string | undefined): Readonly<Record<string, string>> {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

function nameOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

function wrong(form: string, more?: string): DeploymentError {
  return new DeploymentError(`SVC_CONFIG_SOURCE: accepted: ${form}${more === undefined ? "" : `; ${more}`}.`);
}
