import { expect, test } from "vitest";
import { mayOwn, overshadowed } from "../../../lib/upstream/names/namespaced.ts";

const books = { name: "books", namespace: "books_" };
const old = { name: "old", namespace: "books_old_" };
const plain = { name: "plain", namespace: "" };
const other = { name: "other", namespace: "" };
const odd = { name: "odd", namespace: "läden/" };

test("a namespace owns the names that begin with it, and the longest wins", () => {
  expect(mayOwn([plain, books, old], "books_find")).toEqual([books]);
  expect(mayOwn([plain, books, old], "books_old_find")).toEqual([old]);
});

test("what bears no namespace may belong to every app without one, in their order", () => {
  expect(mayOwn([plain, books, other], "find")).toEqual([plain, other]);
  expect(mayOwn([books], "find")).toEqual([]);
});

test("a namespace with characters that names cannot have owns names as agents see them", () => {
  expect(mayOwn([plain, odd], "l_den_find_0a1b2c3d")).toEqual([odd]);
});

test("apps with one namespace are both asked", () => {
  const twin = { name: "twin", namespace: "books_" };
  expect(mayOwn([books, twin], "books_find")).toEqual([books, twin]);
});

test("apps are overshadowed where another namespace begins with theirs, as names show them", () => {
  const short = { name: "short", namespace: "l_" };
  expect([...overshadowed([books, old])]).toEqual([books]);
  expect([...overshadowed([plain, books, other])]).toEqual([plain, other]);
  expect([...overshadowed([plain, other])]).toEqual([]);
  expect([...overshadowed([short, odd])]).toEqual([short]);
});
