import { expect, test } from "vitest";
import { configurationOf, mistakes } from "./support.ts";

test("the owner to recover is kept in lower case, as people are", async () => {
  const yaml = 'version: 1\nconsole: {setupToken: "sixteen characters", recoverOwner: " Ada@Example.com"}';
  expect((await configurationOf(yaml)).console.recoverOwner).toBe("ada@example.com");
});

test("an owner can only be recovered with a setup token", async () => {
  expect(await mistakes("version: 1\nconsole: {recoverOwner: ada@example.com}")).toEqual([
    expect.stringContaining("console.recoverOwner: needs console.setupToken"),
  ]);
  expect(await mistakes("version: 1\nconsole: {recoverOwner: ada@example.com, setupToken: <a.b>}")).toEqual([]);
});

test("whom to recover is an e-mail address", async () => {
  expect(await mistakes('version: 1\nconsole: {setupToken: "sixteen characters", recoverOwner: ada}')).toEqual([
    expect.stringContaining("console.recoverOwner: found"),
  ]);
});
