import { behaviourConfiguration, withIssuer } from "../../behaviour/configuration.ts";
import { issueToken } from "../../behaviour/fixture.ts";
import { bearer, call, post } from "../../behaviour/gateway-fixture.ts";
import type { RunningRegion } from "../../support/runtime.ts";
import { startIssuer } from "../../support/token-issuer.ts";
import { startUpstream } from "../../support/upstream.ts";
import type { Attack, Figure, Tenant } from "../attack.ts";
import { asTenant, clientOf, tenants } from "../tenants.ts";

const RUNTIMES = ["node", "workerd", "lambda"] as const;

/** With a scope that is the first organization's. */
const ISSUERS = `${withIssuer(behaviourConfiguration)}
    authorization:
      inbound:
        tools:
          - name: createNote
            scopes: [notes:write]
          - name: /.*/
            scopes: []
      outbound:
        type: unprotected
`;
const TOOLS = ["getNote", "createNote", "listTags", "nothing"];

/** People of a trusted issuer who are nobody's members, and the other organization's owner: what do they see, call and give? */
export const strangers: Attack = {
  name: "strangers",
  checklist: 47,
  runtimes: RUNTIMES,
  async play({ start, atTheEnd }) {
    const [upstream, issuer] = [await startUpstream(), await startIssuer()];
    atTheEnd(() => Promise.all([upstream.stop(), issuer.stop()]));
    const variables = { UPSTREAM_URL: upstream.url, ISSUER_URL: issuer.wellKnown };
    const region = await start({ configuration: ISSUERS, variables });
    const { first, second } = await tenants(region);
    const resource = `${region.url}/mcp`;
    const people = ["stranger", first.organizationId, "user_01", "owner@example.com"].flatMap((user) =>
      ["some-agent", "client_01"].map((client) => issuer.issue(resource, { user, client })),
    );
    const before = upstream.requests.length;
    const answers: string[] = [];
    for (const token of await Promise.all(people)) {
      answers.push(await told(region, token, { method: "tools/list" }));
      for (const tool of TOOLS) answers.push(await told(region, token, call(tool, { noteId: "1", title: "x" })));
    }
    return [
      { name: "lists and calls of people without a membership", value: answers.length, unit: "" },
      { name: "of them told of a tool", value: answers.filter(tellsOfTools).length, limit: 0, unit: "" },
      { name: "of them arrived at the API", value: upstream.requests.length - before, limit: 0, unit: "" },
      {
        name: "of them that members' own clients are refused",
        value: await refusedToOwn(region, first),
        limit: 0,
        unit: "",
      },
      await grantedToOthers(second),
    ];
  },
};

async function told(region: RunningRegion, token: string, message: object): Promise<string> {
  const response = await post(region, { jsonrpc: "2.0", id: 1, ...message }, bearer(token));
  if (response.status >= 500) throw new Error(`the answer is ${response.status}`);
  return response.text();
}

function tellsOfTools(answer: string): boolean {
  return !/There is no tool of this name|"tools":\[\]/.test(answer);
}

/** Scopes of the first organization's tools, for a client of the second. */
async function grantedToOthers(second: Tenant): Promise<Figure> {
  const { status } = await asTenant(second, "POST", "/api-clients", { name: "taker", scopes: ["notes:write"] });
  const name = "scopes of the first's tools that the second gave its own client";
  return { name, value: status === 422 ? 0 : 1, limit: 0, unit: "" };
}

/** The same list and call by a client of the organization itself: where these fail, the figures above say nothing. */
async function refusedToOwn(region: RunningRegion, first: Tenant): Promise<number> {
  const resource = `${region.url}/mcp`;
  const own = await clientOf(first, { scopes: ["notes:write"], resources: [resource] });
  const token = await issueToken(region, own, { resource });
  const answers = [
    await told(region, token, { method: "tools/list" }),
    await told(region, token, call("getNote", { noteId: "1" })),
  ];
  return answers.filter((answer) => !tellsOfTools(answer)).length;
}

/** The owner of one organization takes addresses of another's people: who is kept out, and what do the answers tell? */
export const takenAddresses: Attack = {
  name: "taken-addresses",
  checklist: 49,
  runtimes: RUNTIMES,
  async play({ start, atTheEnd }) {
    const upstream = await startUpstream();
    atTheEnd(() => upstream.stop());
    const region = await start({ configuration: behaviourConfiguration, variables: { UPSTREAM_URL: upstream.url } });
    const { first, second } = await tenants(region);
    const people = ["ada", "bob", "eve"].map((name) => `${name}@example.com`);
    const joined = await Promise.all(people.map((email) => joinedBy(region, second, email)));
    const invited = await Promise.all(people.map((email) => joinedBy(region, first, email)));
    const fresh = await joinedBy(region, second, "nobody@example.com");
    const known = await joinedBy(region, second, "fresh@example.com");
    const differs = [...joined, ...invited, known].filter(({ shape }) => shape !== fresh.shape);
    const both = new Set([...joined, ...invited].map(({ userId }) => userId));
    return [
      { name: "addresses taken before their people were invited", value: people.length, unit: "" },
      {
        name: "people who were kept out",
        value: invited.filter(({ status }) => status !== 200).length,
        limit: 0,
        unit: "",
      },
      { name: "people who became somebody else's", value: people.length * 2 - both.size, limit: 0, unit: "" },
      { name: "answers that tell that an address is elsewhere", value: differs.length, limit: 0, unit: "" },
    ];
  },
};

/** An invitation that is opened in a new browser. */
async function joinedBy(region: RunningRegion, tenant: Tenant, email: string) {
  const invited = await asTenant(tenant, "POST", "/invitations", { email, role: "member" });
  const { link } = (await invited.json()) as { readonly link: string };
  const accepted = await fetch(`${region.url}/api/v1/invitations/accept`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: new URL(link).hash.replace("#token=", "") }),
  });
  const body = (await accepted.json()) as { readonly userId?: string };
  const shape = JSON.stringify([invited.status, accepted.status, Object.keys(body).sort()]);
  return { status: accepted.status, userId: body.userId, shape };
}
