import { describe, expect, test } from "vitest";
import { addressedBy, readdressed } from "../../../lib/upstream/names/addressed.ts";
import { listenedOf } from "../../../lib/upstream/names/own-listen-filter.ts";
import { rulesOf, withReplaced, wrappedInputRequests, wrappedMessage } from "../../../lib/upstream/names/rules-of.ts";
import { rewriteText } from "../../../lib/upstream/wire/json-rewriter.ts";

const ledger = { name: "ledger", namespace: "ledger_" };
const plain = { name: "ledger", namespace: "" };

/** Every `a:…` is a URI or the id of a task that agents see wrapped, every `b:…` a text that is none of ours. */
const LINK = { type: "resource_link", uri: "a:1", name: "b:name", icons: [{ src: "b:icon" }] };
const EMBEDDED = { type: "resource", resource: { uri: "a:2", text: "b:text" } };
const TEXT = { type: "text", text: "a text that holds no URI", annotations: {} };
const META = {
  ui: { resourceUri: "a:page" },
  "ui/resourceUri": "a:page",
  "openai/outputTemplate": "a:page",
  other: "b:x",
};
const CONTENT = [LINK, EMBEDDED, TEXT, { type: "vendor/unknown", data: ["b:z"] }];
const RESULT = { content: CONTENT, structuredContent: { uri: "b:mine" }, _meta: META };
const MESSAGES = [
  { role: "user", content: LINK },
  { role: "user", content: [EMBEDDED, { type: "tool_result", toolUseId: "b:id", content: CONTENT }] },
  { role: "user", content: { type: "tool_result", content: [LINK] } },
];
const wrapped = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('"a:', '"ledger+a:')) as unknown;

/** As a message relates itself to a task. */
const RELATED = { "io.modelcontextprotocol/related-task": { taskId: "a:task", other: "b:x" } };
const TASK = { taskId: "a:task", status: "working", statusMessage: "b:message" };

describe("URIs and ids of tasks in what an upstream sends", () => {
  test.each([
    ["tools/call", { result: RESULT }],
    ["tools/call", { result: { task: TASK, _meta: RELATED } }],
    ["tools/call", { result: { resultType: "task", ...TASK } }],
    ["tools/call", { result: { content: [], structuredContent: { taskId: "b:mine", task: { taskId: "b:mine" } } } }],
    ["tasks/result", { result: { ...RESULT, _meta: { ...META, ...RELATED } } }],
    ["tasks/get", { result: { ...TASK, result: { ...RESULT, _meta: { ...META, ...RELATED } } } }],
    ["tasks/cancel", { result: TASK }],
    ["tasks/list", { result: { tasks: [TASK, TASK], nextCursor: "b:cursor" } }],
    ["vendor/method", { result: { taskId: "b:mine", _meta: RELATED } }],
    ["prompts/get", { result: { messages: [{ content: LINK }, { content: EMBEDDED }, { content: TEXT }] } }],
    [
      "resources/read",
      {
        result: {
          contents: [
            { uri: "a:1", text: "b:t" },
            { uri: "a:2", blob: "" },
          ],
        },
      },
    ],
    ["resources/read", { error: { code: -32002, message: "b:no", data: { uri: "a:1" } } }],
    ["completion/complete", { result: { completion: { values: ["b:1"] } } }],
    ["vendor/method", { result: { uri: "b:1" } }],
    ["constructor", { result: {} }],
  ])("are those of the app in answers to %s, whether they are streamed or read", (method, answer) => {
    const rules = rulesOf(ledger, method);
    expect(JSON.parse(rewriteText(JSON.stringify(answer), rules))).toEqual(wrapped(answer));
    expect(withReplaced(answer, rules)).toEqual(wrapped(answer));
    expect(withReplaced(answer, rulesOf(plain, method))).toBe(answer);
  });

  test.each([
    { method: "notifications/resources/updated", params: { uri: "a:1" } },
    {
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { resourceSubscriptions: ["a:1"] } },
    },
    { method: "notifications/tasks", params: { ...TASK, result: { ...RESULT, _meta: { ...META, ...RELATED } } } },
    { method: "notifications/tasks/status", params: TASK },
    { method: "notifications/subscriptions/acknowledged", params: { notifications: { taskIds: ["a:1", "a:2"] } } },
    { method: "notifications/progress", params: { progress: 1, _meta: RELATED } },
    { method: "elicitation/create", params: { message: "b:1", _meta: RELATED } },
    { method: "tasks/get", params: { taskId: "b:the agent's own" } },
    { method: "notifications/message", params: { data: { uri: "b:1" } } },
    { method: "sampling/createMessage", params: { messages: MESSAGES, systemPrompt: "b:1" } },
    { method: "elicitation/create", params: { mode: "url", url: "b:1" } },
    { method: "roots/list" },
  ])("are those of the app in $method, also where it is asked for as input", (message) => {
    expect(wrappedMessage(message, ledger)).toEqual(wrapped(message));
    expect(wrappedMessage(message, plain)).toBe(message);
    expect(wrappedInputRequests({ key: message, odd: 1 }, ledger)).toEqual({ key: wrapped(message), odd: 1 });
  });

  test("leave everything else as it is, the very same values", () => {
    const message = { method: "notifications/progress", params: { progress: 1 } };
    expect(wrappedMessage(message, ledger)).toBe(message);
  });
});

describe("what a request of an agent names", () => {
  test.each([
    ["tools/call", { name: "x", arguments: { name: "y" } }, "tool", { name: "own", arguments: { name: "y" } }],
    ["prompts/get", { name: "x" }, "prompt", { name: "own" }],
    ["resources/read", { uri: "x", _meta: {} }, "resource", { uri: "own", _meta: {} }],
    ["resources/subscribe", { uri: "x" }, "resource", { uri: "own" }],
    ["resources/unsubscribe", { uri: "x" }, "resource", { uri: "own" }],
    ["tasks/get", { taskId: "x", name: "y" }, "task", { taskId: "own", name: "y" }],
    ["tasks/result", { taskId: "x" }, "task", { taskId: "own" }],
    ["tasks/cancel", { taskId: "x" }, "task", { taskId: "own" }],
    ["tasks/update", { taskId: "x", inputResponses: {} }, "task", { taskId: "own", inputResponses: {} }],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "x" } },
      "prompt",
      { ref: { type: "ref/prompt", name: "own" } },
    ],
    [
      "completion/complete",
      { ref: { type: "ref/resource", uri: "x" } },
      "resource",
      { ref: { type: "ref/resource", uri: "own" } },
    ],
  ])("of %s becomes the upstream's own", (method, params, kind, own) => {
    const addressed = addressedBy(method, params);
    expect(addressed).toMatchObject({ kind, text: "x" });
    if (addressed !== undefined) expect(readdressed(params, addressed, "own")).toEqual(own);
  });

  test.each([
    ["tools/list", { name: "x" }],
    ["tools/call", { name: 1 }],
    ["tasks/list", { taskId: "x" }],
    ["tools/call", {}],
    ["completion/complete", { ref: { type: "ref/other", name: "x" } }],
    ["completion/complete", { ref: { type: "toString", name: "x" } }],
    ["completion/complete", {}],
    ["__proto__", { name: "x" }],
  ])("of %s is nothing where it is no text in its place", (method, params) => {
    expect(addressedBy(method, params)).toBeUndefined();
  });

  test("in subscriptions goes to the apps that it may be of", () => {
    const open = { name: "open", namespace: "" };
    const resourceSubscriptions = ["ledger+a:1", "a:2", 3];
    const taskIds = ["ledger+1", "2", 3];
    const params = { _meta: { x: 1 }, notifications: { toolsListChanged: true, resourceSubscriptions, taskIds } };
    const heard = (app: typeof open) => listenedOf(params, app, [ledger, open]);
    const others = { toolsListChanged: true };
    expect(heard(ledger)).toEqual({
      ...params,
      notifications: { ...others, resourceSubscriptions: ["a:1"], taskIds: ["1"] },
    });
    expect(heard(open)).toEqual({
      ...params,
      notifications: { ...others, resourceSubscriptions: ["a:2"], taskIds: ["2"] },
    });
    expect(listenedOf(params, { name: "x", namespace: "x_" }, [])).toEqual({ ...params, notifications: others });
    expect(listenedOf({ notifications: others }, ledger, [ledger])).toEqual({ notifications: others });
  });
});
