import { deepStrictEqual } from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { outbound } from "../../behaviour/connections/configuration.ts";
import type { ConnectionsUnderTest } from "../../behaviour/connections/fixture.ts";
import { mcpURL } from "../../behaviour/gateway-fixture.ts";
import { answerTo } from "../../behaviour/mcp/events.ts";
import { bridgeApp } from "../../support/yaml.ts";
import type { Check } from "../check.ts";
import { runSuite } from "./checks.ts";

/** A scenario of the suite for results that require input, judged by what an agent is told whose person has to connect (D214). */
interface Scenario {
  readonly name: string;
  readonly tool: string;
  /** The key of the question, where the scenario fixes it. It is the server's choice: ours is `connect`, and the driver renames it. */
  readonly key?: string;
  /** What each check comes to: `STATUS`, or `STATUS: what the suite says`. */
  readonly outcomes: Readonly<Record<string, string>>;
  readonly proves: string;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: "input-required-result-request-state",
    tool: "test_input_required_result_request_state",
    outcomes: { "sep-2322-request-state-incomplete": "SUCCESS", "sep-2322-request-state-complete": "SUCCESS" },
    proves: "a question with a sealed state, and the result after the person has connected",
  },
  {
    name: "input-required-result-tampered-state",
    tool: "test_input_required_result_tampered_state",
    outcomes: { "sep-2322-reject-tampered-state": "SUCCESS" },
    proves: "a state that was altered is an error",
  },
  {
    name: "input-required-result-basic-elicitation",
    tool: "test_input_required_result_elicitation",
    key: "user_name",
    outcomes: { "sep-2322-elicitation-incomplete": "SUCCESS", "sep-2322-elicitation-complete": "SUCCESS" },
    proves: "elicitation/create, and the result afterwards, with the key of the question renamed",
  },
  {
    name: "input-required-result-capability-check",
    tool: "test_input_required_result_capabilities",
    // It wants to see a question for sampling from a server that may not ask by elicitation. We have none: the model reads the link.
    outcomes: {
      "sep-2322-respect-client-capabilities":
        "FAILURE: Server returned complete result; expected InputRequiredResult with sampling-only inputRequests",
    },
    proves:
      "who declares no elicitation is asked for none: the scenario's only complaint is that it is asked for nothing",
  },
];

/** A REST API with the tools of these scenarios, by their own names, that takes tokens of people alone. */
export const scenarioApp: string = `${bridgeApp(
  "conformance",
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "What the scenarios call", version: "1.0.0" },
    servers: [{ url: "http://127.0.0.1" }],
    paths: Object.fromEntries(SCENARIOS.map(({ tool }) => [`/${tool}`, { get: operation(tool) }])),
  }),
  "    toolNamespace:\n      disabled: true\n",
).trimEnd()}${outbound(false)}`;

function operation(operationId: string) {
  const responses = { 200: { description: "Whose token came.", content: { "application/json": {} } } };
  return { operationId, summary: "Says whose token came", responses };
}

/**
 * The conformance suite's scenarios before the gateway with people who have not connected, each another one. The suite has neither a
 * token nor URL mode nor a person: a driver before the gateway has. It changes nothing else. In `test/conformance` the same scenarios
 * pass through the gateway, on Node and workerd, before MCP servers that ask as the scenarios want it, sampling and forms included:
 * there the gateway carries questions of others, here it asks its own.
 */
export function connectingChecks(it: ConnectionsUnderTest, home: string): readonly Check[] {
  return SCENARIOS.map((scenario) => ({
    name: `conformance of ${scenario.name} for a person who has not connected: ${scenario.proves}`,
    run: async () => {
      const driver = await startDriver(it, scenario);
      try {
        const outcomes = await runSuite(driver.url, ["--scenario", scenario.name], home);
        const found = outcomes.map(({ name, status, message }) => [
          name.split("/")[1] ?? "",
          message === undefined ? status : `${status}: ${message}`,
        ]);
        // The suite judges each message by the schema of the revision, too.
        deepStrictEqual(Object.fromEntries(found), { "wire-schema-valid": "SUCCESS", ...scenario.outcomes });
      } finally {
        await driver.stop();
      }
    },
  }));
}

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Stands in for the application around a client, and for its person, who connects once the client accepts. */
async function startDriver(it: ConnectionsUnderTest, { name, key = "connect" }: Scenario) {
  const login = name.replace("input-required-result-", "");
  const { token } = await it.agentOf(login);
  const walks: Promise<void>[] = [];
  let link: string | undefined;
  const server = createServer(async (request, response) => {
    const message = (await json(request)) as { readonly id: number; readonly params: JsonObject };
    const params = withResponse(withURLMode(message.params), key);
    if (isJsonObject(params.inputResponses) && link !== undefined) walks.push(it.walk(link, login));
    const answer = await fetch(mcpURL(it.us), {
      method: "POST",
      headers: { ...forwarded(request), authorization: `Bearer ${token}` },
      body: JSON.stringify({ ...message, params }),
    });
    const { result, ...told } = await answerTo(answer, message.id);
    const asked = result?.inputRequests as
      | { readonly connect: { readonly params: { readonly url: string } } }
      | undefined;
    link = asked?.connect.params.url ?? link;
    const shown = result && { ...result, ...(asked && { inputRequests: { [key]: asked.connect } }) };
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...told, ...(shown && { result: shown }) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop: async () => {
      await Promise.all(walks);
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Whoever declares elicitation opens links as well. */
function withURLMode({ _meta, ...params }: JsonObject): JsonObject {
  const meta = isJsonObject(_meta) ? _meta : {};
  const declared = isJsonObject(meta[CAPABILITIES]) ? meta[CAPABILITIES] : {};
  const capabilities = {
    ...declared,
    ...(declared.elicitation !== undefined && { elicitation: { form: {}, url: {} } }),
  };
  return { ...params, _meta: { ...meta, [CAPABILITIES]: capabilities } };
}

/** The client's answer under the key that the gateway gave. */
function withResponse(params: JsonObject, key: string): JsonObject {
  const { inputResponses } = params;
  if (!isJsonObject(inputResponses)) return params;
  return { ...params, inputResponses: { connect: inputResponses[key] } };
}

/** Without what is about one connection or the length of the message. */
function forwarded({ headers }: IncomingMessage): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name === "accept" || name.startsWith("mcp-"));
  return {
    "content-type": "application/json",
    ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
  };
}
