import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import { issueToken } from "../../behaviour/fixture.ts";
import { bearer, call, post } from "../../behaviour/gateway-fixture.ts";
import type { RunningRegion } from "../../support/runtime.ts";
import { startUpstream } from "../../support/upstream.ts";
import type { Attack } from "../attack.ts";
import { asTenant, clientOf, tenants } from "../tenants.ts";

const RUNTIMES = ["node", "workerd", "lambda"] as const;
const QUOTA = 100;
const CALLS = 300;
const CONNECTIONS = 16;

const LIMITED = `${behaviourConfiguration}
limits:
  - name: calls
    for: {app: upstream}
    per: client
    quota: ${QUOTA}/day
    exact: true
`;

/** One caller takes more than its limit over many connections; then an administrator stops it while it goes on. */
export const limited: Attack = {
  name: "limited",
  checklist: 51,
  runtimes: RUNTIMES,
  async play({ start, atTheEnd }) {
    const upstream = await startUpstream();
    atTheEnd(() => upstream.stop());
    const region = await start({ configuration: LIMITED, variables: { UPSTREAM_URL: upstream.url } });
    const { first } = await tenants(region);
    const resource = `${region.url}/mcp`;
    const [greedy, other] = [
      await clientOf(first, { resources: [resource] }),
      await clientOf(first, { resources: [resource] }),
    ];
    const token = await issueToken(region, greedy, { resource });
    const others = await issueToken(region, other, { resource });
    const taken = await statuses(region, token, CALLS);
    const left = await statuses(region, others, 20);
    const stop = { kind: "api_client", id: other.clientId, state: "suspended", reason: "It does harm." };
    const placed = await asTenant(first, "POST", "/stops", stop);
    if (placed.status !== 200) throw new Error(`the stop is ${placed.status}`);
    const before = upstream.requests.length;
    const stopped = await statuses(region, others, 50);
    const good = taken.filter((status) => status === 200).length;
    return [
      { name: `calls let through of ${CALLS}, where the limit is`, value: good, limit: QUOTA, unit: "" },
      { name: "calls within the limit that were refused", value: Math.max(0, QUOTA - good), limit: 0, unit: "" },
      {
        name: "answers but 200 and 429",
        value: taken.filter((one) => one !== 200 && one !== 429).length,
        limit: 0,
        unit: "",
      },
      {
        name: "another client's calls that were refused",
        value: left.filter((one) => one !== 200).length,
        limit: 0,
        unit: "",
      },
      {
        name: "52. calls of a stopped client that were accepted",
        value: stopped.filter((one) => one !== 401).length,
        limit: 0,
        unit: "",
      },
      { name: "52. of them arrived at the API", value: upstream.requests.length - before, limit: 0, unit: "" },
    ];
  },
};

async function statuses(region: RunningRegion, token: string, count: number): Promise<readonly number[]> {
  const found: number[] = [];
  let sent = 0;
  const connection = async () => {
    while (sent < count) {
      sent++;
      const response = await post(region, call("getNote", { noteId: "1" }), bearer(token));
      await response.arrayBuffer();
      found.push(response.status);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return found;
}
