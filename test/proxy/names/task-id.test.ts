import { describe, expect, test } from "vitest";
import {
  relatedTask,
  taskOwners,
  unwrapTaskId,
  withOwnTask,
  withOwnTasks,
  wrapTaskId,
} from "../../../lib/upstream/names/task-id.ts";

const app = (name: string, namespace = `${name}_`) => ({ name, namespace });
const related = (taskId: unknown) => ({ _meta: { "io.modelcontextprotocol/related-task": { taskId } } });

describe("the id of a task", () => {
  const NAMES = ["ledger", "Ledger", "a", "a+b", "x..a", "My_app 2", "日本"];
  const IDS = ["786512e2-9e0d-44bd-8f29-789f320fe840", "", "+", "ledger+1", "LEDGER+1", "ü/?#", "__proto__"];

  test("names its app, and is the upstream's own again for that app alone", () => {
    expect(wrapTaskId(app("ledger"), "786512e2")).toBe("ledger+786512e2");
    for (const name of NAMES) {
      for (const id of IDS) {
        const wrapped = wrapTaskId(app(name), id);
        const owners = NAMES.filter((other) => unwrapTaskId(app(other), wrapped) !== undefined);
        expect(owners).toEqual([name]);
        expect(unwrapTaskId(app(name), wrapped)).toBe(id);
      }
    }
  });

  test("of an app without a namespace stays as it is, and may be that of each such app unless it names another one", () => {
    const apps = [app("open", ""), app("ledger"), app("wide", "")];
    expect(wrapTaskId(app("open", ""), "ledger+1")).toBe("ledger+1");
    expect(taskOwners(apps, "1")).toEqual([
      { app: apps[0], id: "1" },
      { app: apps[2], id: "1" },
    ]);
    expect(taskOwners(apps, "ledger+1")).toEqual([{ app: apps[1], id: "1" }]);
    expect(taskOwners([app("ledger")], "1")).toEqual([]);
    expect(taskOwners([app("ledger")], "LEDGER+1")).toEqual([]);
  });
});

describe("the task that a message of an agent is related to", () => {
  test("is the app's own where it is the app's, also in answers to what was asked; the agent's own stay", () => {
    const sent = { content: { taskId: "ledger+2" }, ...related("ledger+1") };
    expect(withOwnTask(sent, app("ledger"))).toEqual({ content: { taskId: "ledger+2" }, ...related("1") });
    const inputResponses = { one: { action: "accept", ...related("ledger+1") }, two: related("mine"), odd: 1 };
    expect(withOwnTasks({ taskId: "1", inputResponses }, app("ledger"))).toEqual({
      taskId: "1",
      inputResponses: { one: { action: "accept", ...related("1") }, two: related("mine"), odd: 1 },
    });
  });

  test("is left alone where there is none", () => {
    for (const sent of [{}, { _meta: { progressToken: 1 } }, related(1), related("mine"), { inputResponses: "odd" }]) {
      expect(withOwnTask(sent, app("ledger"))).toBe(sent);
      expect(withOwnTasks(sent, app("ledger"))).toBe(sent);
    }
  });

  test("is read as text alone", () => {
    expect(relatedTask(related("ledger+1"))).toBe("ledger+1");
    for (const sent of [{}, { _meta: "odd" }, { _meta: {} }, related(1)]) expect(relatedTask(sent)).toBeUndefined();
  });
});
