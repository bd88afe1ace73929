import { TOKEN_EXCHANGE } from "../app-configuration.ts";
import { type Path, valueAt } from "../path.ts";
import { OWN_PROVIDER } from "./names.ts";
import { indexesOf, lengthOf, type RuleContext } from "./rule.ts";

/** How messages call an app that the gateway can be at this instance's own provider. */
export const EXCHANGING_APP = `oidc app with the grant type ${TOKEN_EXCHANGE}`;

/** Client IDs of the apps that the gateway can be; undefined while one of them, or its grant types, is not known. */
type ExchangingClients = readonly unknown[] | undefined;

/**
 * Where the calls of an MCP app carry a token of this instance's own provider, the gateway is one of its clients, and which
 * one has to be clear. Nothing is said while a placeholder may decide it.
 */
export function ownClientRules({ at, report }: RuleContext, app: Path, clients: ExchangingClients): void {
  const outbound = [...app, "authorization", "outbound"];
  const exchange = [...outbound, "tokenExchange"];
  if (at(...outbound, "type") !== "tokenExchange" || at(...exchange, "idp") !== OWN_PROVIDER) return;
  if (at("oidcProvider") === undefined) return;
  const id = at(...exchange, "clientID");
  if (clients === undefined || id === null) return;
  if (id !== undefined) {
    if (clients.includes(id)) return;
    report([...exchange, "clientID"], `names no ${EXCHANGING_APP}; accepted: the clientID of one`);
  } else if (clients.length === 0) {
    const message = `needs an ${EXCHANGING_APP}, which the gateway is at this instance's own provider; there is none`;
    report([...exchange, "idp"], message);
  } else if (clients.length > 1) {
    const message = `required: there is more than one ${EXCHANGING_APP}; accepted: the clientID of one`;
    report([...exchange, "clientID"], message);
  }
}

/** Their client IDs. */
export function exchangingClients({ at }: RuleContext): ExchangingClients {
  const apps = at("apps");
  const clients: unknown[] = [];
  for (const index of indexesOf(apps)) {
    const app = valueAt(apps, [index]);
    if (valueAt(app, ["type"]) !== "oidc") continue;
    const grantTypes = valueAt(app, ["grantTypes"]);
    const places = Array.from({ length: lengthOf(grantTypes) }, (_, place) => valueAt(grantTypes, [place]));
    const clientID = valueAt(app, ["clientID"]);
    if (clientID === null || grantTypes === null || places.includes(null)) return undefined;
    if (places.includes(TOKEN_EXCHANGE)) clients.push(clientID);
  }
  return clients;
}
