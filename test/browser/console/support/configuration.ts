import { readFileSync } from "node:fs";
import { parse, stringify } from "yaml";

const QUICKSTART = new URL("../../../../examples/quickstart/", import.meta.url);

/**
 * The quickstart's configuration, made to run anywhere: addresses come from the harness of the runtime, `LIBRARY_URL`,
 * `BOARD_URL` and `CONSOLE_STORE` from the variables. People may also come through the connector `corp`, of which the variables say where it is and
 * who the instance is there.
 *
 * @param hasSetupToken with the runtime's setup token; without one the server on Node makes its own, and prints its link
 */
export function consoleConfiguration({ hasSetupToken }: { readonly hasSetupToken: boolean }): string {
  const document = parse(read("countersign.yaml"), withAddresses) as QuickstartDocument;
  const [library, ...others] = document.apps;
  return stringify({
    ...document,
    logger: { level: "debug", jsonOutput: true },
    http: { address: "{{ env.LISTEN_ADDRESS }}", publicURL: "{{ env.PUBLIC_URL }}" },
    store: { path: "{{ env.CONSOLE_STORE }}" },
    oidcProvider: {
      ...document.oidcProvider,
      region: "{{ env.REGION }}",
      keySecret: "<countersign.key-secret>",
      apiClients: { ...document.oidcProvider.apiClients, idSecret: "<countersign.id-secret>" },
    },
    mcpProvider: {
      ...document.mcpProvider,
      transports: { stream: { ...document.mcpProvider.transports.stream, session: { enabled: true } } },
    },
    console: {
      enabled: true,
      connectors: ["corp"],
      ...(hasSetupToken && { setupToken: "<countersign.setup-token>" }),
    },
    connectors: [CORP],
    apps: [
      {
        ...library,
        openapi: { spec: { data: read("openapi.yaml") }, baseURL: "{{ env.LIBRARY_URL }}" },
      },
      // The web pages need the quickstart's own provider.
      ...others.filter(({ type }) => type !== "proxy"),
    ],
  });
}

const CORP = {
  name: "corp",
  type: "oidc",
  oidcWellKnownURL: "{{ env.IDP_URL }}/.well-known/openid-configuration",
  oauthClientID: "{{ env.IDP_CLIENT }}",
  oauthClientSecret: "{{ env.IDP_SECRET }}",
  scopes: ["openid", "profile", "email"],
};

type Section = Readonly<Record<string, unknown>>;

interface QuickstartDocument {
  readonly oidcProvider: Section & { readonly apiClients: Section };
  readonly mcpProvider: Section & { readonly transports: { readonly stream: Section } };
  readonly apps: readonly Section[];
}

function read(file: string): string {
  return readFileSync(new URL(file, QUICKSTART), "utf8");
}

function withAddresses(_: unknown, value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value
    .replaceAll("http://localhost:8080", "{{ env.PUBLIC_URL }}")
    .replaceAll("http://localhost:8082", "{{ env.BOARD_URL }}")
    .replaceAll("cst_us_", "cst_{{ env.REGION }}_");
}
