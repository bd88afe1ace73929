/** What is asked for; `expect` is how it begins. */
export const FILES = {
  short: { path: "/site/short.txt", bytes: 1024, expect: "Entry 4711\n" },
  long: { path: "/site/long.txt", bytes: 64 * 1024, expect: "Statement 4711\n" },
} as const;
