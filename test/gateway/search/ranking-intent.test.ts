import { describe, expect, test } from "vitest";
import { createFindTools } from "../../../lib/search/find-tools.ts";
import { intentOf } from "../../../lib/search/intent.ts";
import { questionOf } from "../../../lib/search/question.ts";
import { effectOf, isAboutCaller, type SearchedTool } from "../../../lib/search/searched-tool.ts";
import { plainWordsOf, stem } from "../../../lib/search/words.ts";

const operation = (method: string, path: string, title?: string) => {
  const localName = `${method} ${path}`.replaceAll(/\W+/g, "_");
  return { name: localName, localName, method, path, annotations: {}, details: "{}", ...(title && { title }) };
};
const finding = (...rows: readonly (readonly [method: string, path: string, title: string, app?: string])[]) => {
  const tools = rows.map(
    ([method, path, title, app = "a"]): SearchedTool => ({
      tool: { ...operation(method, path, title), name: `${app}: ${title}` },
      app: { name: app },
    }),
  );
  const find = createFindTools(tools);
  return (question: string) => find(question).map((name) => name.replace(/^a: /, ""));
};

const neededOf = (question: string) =>
  questionOf(question).concepts.flatMap(({ word, isNeeded }) => (isNeeded ? [word] : []));

describe("a question wants", () => {
  test.each([
    ["gists", "browse"],
    ["open pull requests", "browse"],
    ["uploaded files", "browse"],
    ["closed issues", "browse"],
    ["members of the team", "browse"],
    ["list my repos", "read"],
    ["which files does it touch", "read"],
    ["how do I create a repo", "write"],
    ["lock a conversation", "write"],
    ["kick off a workflow", "write"],
    ["open a bug", "write"],
    ["delete a branch", "remove"],
    ["get rid of a branch", "remove"],
    ["unfollow somebody", "end"],
    ["cancel the run", "end"],
    ["", "browse"],
  ])("%j: to %s", (question, intent) => {
    expect(questionOf(question).intent).toBe(intent);
  });

  test("something of the caller's where it says so", () => {
    for (const one of ["my gists", "who am I", "issues that I wrote", "is it mine"])
      expect(questionOf(one).isOfCaller).toBe(true);
    expect(questionOf("the gists of a user").isOfCaller).toBe(false);
    expect(intentOf(plainWordsOf("unlock it"))).toBe("end");
  });

  test("to have in a tool all words but those that become arguments", () => {
    expect(neededOf("open bugs")).toEqual(["bug"]);
    expect(neededOf("closed bugs")).toEqual(["bug"]);
    expect(neededOf("who has bugs")).toEqual(["bug"]);
    expect(neededOf("latest")).toEqual(["latest"].map(stem));
  });
});

describe("a tool", () => {
  test.each([
    ["GET", "/books", "List books", "list"],
    ["GET", "/books", "Get all books", "list"],
    ["GET", "/books/{id}", "Get a book", "read"],
    ["POST", "/books/search", undefined, "read"],
    ["POST", "/books", "Add a book", "write"],
    ["DELETE", "/books/{id}", "Take a book away", "remove"],
    ["POST", "/books.delete", "Delete a book", "remove"],
  ])("of %s %s, %s: %s", (method, path, title, effect) => {
    expect(effectOf(operation(method, path, title))).toBe(effect);
  });

  test("is about the caller by its path or its words", () => {
    for (const path of ["/user/repos", "/v1/me", "/users/me/keys", "/api/v2/account"])
      expect(isAboutCaller(operation("GET", path))).toBe(true);
    expect(isAboutCaller(operation("GET", "/gists", "List gists for the authenticated user"))).toBe(true);
    for (const path of ["/users/{name}", "/user/{name}", "/userland", "/media", "/a/user"])
      expect(isAboutCaller(operation("GET", path))).toBe(false);
  });
});

describe("first is", () => {
  const books = finding(
    ["DELETE", "/books/{id}", "Delete a book"],
    ["PATCH", "/books/{id}", "Update a book"],
    ["POST", "/books", "Create a book"],
    ["GET", "/books", "List books"],
    ["GET", "/user/books", "List books for the authenticated user"],
    ["GET", "/user", "Get the authenticated user"],
    ["GET", "/books/{id}", "Get a book"],
  );

  test("what shows something, where no verb is said, and what removes is last", () => {
    const found = books("books");
    expect(found[0]).toMatch(/^List books/);
    expect(found.at(-1)).toBe("Delete a book");
    expect(books("book of the month").at(-1)).toBe("Delete a book");
  });

  test.each([
    ["my books", "List books for the authenticated user"],
    ["who am I", "Get the authenticated user"],
    ["get rid of a book", "Delete a book"],
    ["throw away a book", "Delete a book"],
    ["change a book", "Update a book"],
    ["make a book", "Create a book"],
  ])("for %j: %s", (question, title) => {
    expect(books(question)[0]).toBe(title);
  });

  test("the tool of the app that is named, and the shorter name where two are as good", () => {
    const models = finding(
      ["GET", "/models", "List models", "cars"],
      ["GET", "/models", "List models", "star-trek"],
      ["POST", "/videos/edits", "Create video edit"],
      ["POST", "/videos", "Create video"],
    );
    expect(models("trek models")[0]).toBe("star-trek: List models");
    expect(models("models of cars")[0]).toBe("cars: List models");
    expect(models("make a video")[0]).toBe("Create video");
  });
});
