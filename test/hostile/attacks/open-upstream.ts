import { answerTo } from "../../behaviour/mcp/events.ts";
import { notification, post } from "../../behaviour/mcp/session.ts";
import { startProxy } from "../../behaviour/mcp-proxy/fixture.ts";
import type { RuntimeUnderTest } from "../../support/runtime.ts";
import type { Attack, Figure, Stage } from "../attack.ts";

const RUNTIMES = ["node", "workerd", "lambda"] as const;
const UNSEEN = "\n\r\t\u0000\u0085\u2028\u2029\u202e\u2066\u200b\u200d\u00ad\ufeff\ufe0f\u3164";

/** Names that look like others, by line breaks and by characters that nobody sees, are nobody's. */
export const unseenNames: Attack = {
  name: "unseen-names",
  checklist: 45,
  runtimes: RUNTIMES,
  play: (stage) => {
    const known = ["whoami", "danger", "hidden"];
    const names = [...UNSEEN].flatMap((one) =>
      known.flatMap((name) => [name + one, one + name, `${name.slice(0, 2)}${one}${name.slice(2)}`]),
    );
    const uris = [...UNSEEN].map((one) => `test://private${one}`);
    const reads = uris.map((uri): Asked => ["resources/read", { uri }]);
    return played(stage, "names with unseen characters, and one without a rule", [
      ...[...names, "unruled"].flatMap(uses),
      ...reads,
    ]);
  },
};

const METHODS = ["custom/exec", "tools/call/", "tools.call", "Tools/Call", "resources/write", "notifications/custom"];
const URIS = [
  "test://other",
  "test://notes/../private",
  "test://notes/%2e%2e/private",
  "test://of/..%252fprivate",
  "test://of/..%5cprivate",
];

/** What nobody named or listed does not reach an MCP server: methods, names, URIs. */
export const openUpstream: Attack = {
  name: "open-upstream",
  checklist: 46,
  runtimes: RUNTIMES,
  play: (stage) =>
    played(stage, "methods, names and URIs that nobody named", [
      ...METHODS.map((method): Asked => [method, { name: "danger", arguments: {} }]),
      ...["unheard", "Whoami", "whoami/", "tools/call"].flatMap(uses),
      ...[...URIS, ...URIS.map((uri) => `held+${uri}`)].flatMap((uri): readonly Asked[] => [
        ["resources/read", { uri }],
        ["resources/subscribe", { uri }],
      ]),
    ]),
};

type Asked = readonly [method: string, params: Readonly<Record<string, unknown>>];

function uses(name: string): readonly Asked[] {
  const ref = { type: "ref/prompt", name };
  return [
    ["tools/call", { name, arguments: {} }],
    ["tools/call", { name: `held_${name}`, arguments: {} }],
    ["prompts/get", { name }],
    ["completion/complete", { ref, argument: { name: "a", value: "b" } }],
  ];
}

/** As requests and as notifications; whatever of them arrives at a server is one too many. */
async function played(stage: Stage, what: string, asked: readonly Asked[]): Promise<readonly Figure[]> {
  const runtime = { name: stage.runtime, start: (options) => startedOn(stage, options) } as RuntimeUnderTest;
  const it = await startProxy(runtime);
  stage.atTheEnd(() => it.stop());
  const { session } = it.ada;
  const harmless = await session.call("whoami");
  const before = it.servers.seen.length;
  let answered = 0;
  for (const [method, params] of asked) {
    const { error, result } = await answerTo(await session.send(method, params));
    if (error === undefined && result?.isError !== true) answered += 1;
    await (await post(it.us, notification(method, params), session.headers)).text();
  }
  const arrived = it.servers.seen.slice(before).filter(({ method }) => !OWN.test(method));
  return [
    { name: `${what}: asked`, value: asked.length, unit: "" },
    { name: `${what}: answered`, value: answered, limit: 0, unit: "" },
    { name: `${what}: arrived at a server`, value: arrived.length, limit: 0, unit: "" },
    { name: "allowed calls that failed", value: harmless.error === undefined ? 0 : 1, limit: 0, unit: "" },
  ];
}

/** What the gateway asks by itself. */
const OWN = /^(initialize|notifications\/initialized|server\/discover|subscriptions\/listen|[\w/]+\/list|)$/;

async function startedOn(stage: Stage, options: Parameters<Stage["start"]>[0]) {
  return { us: await stage.start(options), stop: async () => undefined };
}
