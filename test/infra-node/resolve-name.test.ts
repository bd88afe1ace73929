import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createNameResolver } from "../../infra/node/net/agent-supplied.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A system whose servers of `*.silent*.example` never answer. */
function system() {
  const running = new Set<string>();
  const answers: (() => void)[] = [];
  let most = 0;
  const resolve = createNameResolver(async (name) => {
    running.add(name);
    most = Math.max(most, running.size);
    if (name.includes("silent")) await new Promise<void>((answer) => answers.push(answer));
    running.delete(name);
    return ["192.0.2.1"];
  });
  const outcome = (name: string) =>
    resolve(name).then(
      ([address]) => address,
      (cause: Error) => cause.message,
    );
  return { outcome, running, most: () => most, answer: () => answers.splice(0).map((answer) => answer()) };
}

test("names are resolved as the operating system does, with its file of hosts", async () => {
  vi.useRealTimers();
  const lines = readFileSync("/etc/hosts", "utf8").split("\n");
  const [address = "", name = ""] =
    lines.map((line) => line.split(/\s+/)).find(([_, first]) => first === "localhost") ?? expect.fail();
  expect(await createNameResolver()(name)).toContain(address);
  await expect(createNameResolver()("nowhere.invalid")).rejects.toMatchObject({ syscall: "getaddrinfo" });
});

test("21. names of agents whose servers do not answer hold two threads at most, and one for each domain", async () => {
  const { outcome, running, most, answer } = system();
  const asked = Array.from({ length: 20 }, (_, number) => outcome(`n${number}.silent.example`));
  await vi.advanceTimersByTimeAsync(0);
  expect([...running]).toEqual(["n0.silent.example"]);
  expect(await outcome("agent.example.com")).toBe("192.0.2.1");
  await vi.advanceTimersByTimeAsync(3_000);
  expect(new Set(await Promise.all(asked))).toEqual(new Set(["No name server has answered for the address."]));
  answer();
  await vi.advanceTimersByTimeAsync(0);

  const others = ["a.silent1.example", "a.silent2.example", "a.silent3.example"].map(outcome);
  await vi.advanceTimersByTimeAsync(6_000);
  await Promise.all(others);
  expect(most()).toBe(2);
});

test("21. names that resolved before have a place of their own, and short domains are nobody's ending", async () => {
  const { outcome, most, running } = system();
  expect(await outcome("agent.example.com")).toBe("192.0.2.1");
  const slow = ["silent1.example", "silent2.example", "a.silent.t3t.io", "b.silent.t3t.io"].map(outcome);
  await vi.advanceTimersByTimeAsync(0);
  expect(running.size).toBe(2);
  expect(await outcome("other.example.com")).toBe("192.0.2.1");
  await vi.advanceTimersByTimeAsync(6_000);
  await Promise.all(slow);
  expect(most()).toBe(3);
});

test("21. a domain that was silent is not asked again for ten minutes, and others below the same country's ending are", async () => {
  const { outcome, running, answer } = system();
  const first = outcome("a.silent.co.uk");
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await first).toContain("No name server");
  answer();
  await vi.advanceTimersByTimeAsync(0);
  expect(await outcome("b.silent.co.uk")).toContain("No name server");
  expect([...running]).toEqual([]);
  expect(await outcome("agent.co.uk")).toBe("192.0.2.1");
  await vi.advanceTimersByTimeAsync(600_000);
  const again = outcome("b.silent.co.uk");
  await vi.advanceTimersByTimeAsync(0);
  expect([...running]).toEqual(["b.silent.co.uk"]);
  answer();
  expect(await again).toBe("192.0.2.1");
});
