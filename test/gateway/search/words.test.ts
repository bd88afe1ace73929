import { describe, expect, test } from "vitest";
import { prose } from "../../../lib/openapi/summary.ts";
import { createInvertedIndex } from "../../../lib/search/inverted-index.ts";
import { questionOf } from "../../../lib/search/question.ts";
import { plainWordsOf, stem, wordsOf } from "../../../lib/search/words.ts";

test("of an index that differ from an unknown one by a letter are found by what could be, not by reading all of them", () => {
  const index = createInvertedIndex();
  const known = ["create", "crate", "creates", "craete", "credit", "größe", "x".repeat(40), "x".repeat(41)];
  index.add([{ words: known, weight: 1, usual: 10 }]);
  expect(index.similar("creat")).toEqual(["create"]);
  expect(index.similar("create")).toEqual(["craete", "crate", "creates"]);
  expect(index.similar("gröẞe")).toEqual([]);
  expect(index.similar("größee")).toEqual(["größe"]);
  expect(index.similar("x".repeat(39))).toEqual(["x".repeat(40)]);
  expect(index.similar("x".repeat(42))).toEqual([]);
  const many = createInvertedIndex();
  many.add([
    { words: Array.from({ length: 40 }, (_, at) => `word${String.fromCharCode(97 + at)}`), weight: 1, usual: 10 },
  ]);
  expect(many.similar("word")).toHaveLength(20);
});

describe("words", () => {
  test.each([
    ["getHTTPServer2Status", ["get", "http", "server2", "status"]],
    ["repos/create-or-update_file contents", ["repository", "create", "or", "update", "file", "contents"]],
    ["GET /users/{user_id}", ["get", "users", "user", "id"]],
    ["Größe ändern", ["größe", "ändern"]],
    ["somebody's repos", ["somebodys", "repository"]],
    ["", []],
    ["!?", []],
  ])("of %j are those of its parts", (text, words) => {
    expect(plainWordsOf(text)).toEqual(words);
  });

  test.each([
    ["merge", "merges", "merged", "merging"],
    ["repository", "repositories"],
    ["branch", "branches"],
    ["star", "stars", "starred", "starring"],
    ["review", "reviews", "reviewer", "reviewed"],
    ["class", "classes"],
    ["issue", "issues"],
    ["moderate", "moderation"],
    ["pay", "paid", "pays", "paying"],
    ["send", "sent"],
    ["collaborate", "collaboration", "collaborator", "collaborators"],
    ["deploy", "deployment", "deployments", "deployed"],
    ["deny", "denies", "denied"],
    ["configure", "configuration", "configures"],
  ])("%s and its forms are one", (word, ...forms) => {
    for (const form of forms) expect(stem(form)).toBe(stem(word));
  });

  test.each([["status"], ["class"], ["access"], ["api"], ["id"], ["über"], ["sha256"]])("%s stays as it is", (word) => {
    expect(stem(word)).toBe(word);
  });

  test("that every question has are left out", () => {
    expect(wordsOf("the tools that I would like to use")).toEqual(["tool"]);
    expect(wordsOf("can you do this for me, please?")).toEqual([]);
  });

  test("of a question are as many as help, whatever it is", () => {
    expect(questionOf(Array.from({ length: 100 }, (_, at) => `word${at}`).join(" ")).concepts).toHaveLength(20);
    expect(questionOf("constructor __proto__ hasOwnProperty").concepts).toHaveLength(4);
    expect(questionOf("a".repeat(10_000)).concepts[0]?.word).toHaveLength(40);
  });

  test("of a question stand for others that mean the same", () => {
    const [drop, picture] = questionOf("drop a picture").concepts;
    expect([drop?.word, picture?.word]).toEqual(["drop", "pictur"]);
    expect(drop?.synonyms).toContain(stem("delete"));
    expect(picture?.synonyms).toContain(stem("image"));
  });

  test("of a question count less where they only say with what or for whom, and the first of them is the command", () => {
    const { concepts } = questionOf("move a file to another folder");
    expect(concepts.map(({ word, isCommand }) => [word, isCommand])).toEqual(
      ["move", "file", "folder"].map((word) => [stem(word), word === "move"]),
    );
    const [, file, folder] = concepts;
    expect(folder?.weight).toBeLessThan(file?.weight ?? 0);
  });
});

test.each([
  ["log out all users", ["logout", "user"]],
  ["log a user out of everything", ["logout", "user", "everything"]],
  ["get rid of a branch", ["remove", "branch"]],
  ["a log of the day", ["log", "day"]],
])("a verb and its particle are one word, also with what it is about between them: %j", (question, words) => {
  expect(questionOf(question).concepts.map(({ word }) => word)).toEqual(words.map(stem));
});

test("prose is a description without its notes, marks and addresses", () => {
  const text = "> [!NOTE]\n> Preview.\n\n# Title\nLists **tasks** of a [repository](https://a.example/b).\n<br>`x`";
  expect(prose(text)).toBe("Lists tasks of a repository . x");
});
