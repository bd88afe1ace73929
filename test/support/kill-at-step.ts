import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync, StatementSync } from "node:sqlite";

/**
 * Preloaded into a process of the product (`--import`): the process ends itself as `kill -9` does, at the step that the variable
 * KILL_AT names, as `store 3` or `file 1`. Steps count from the time on when the file KILL_FROM is there: before each write about
 * what was published, before and after its commit, and before and after a file is moved into place.
 */
const [kind = "", number = ""] = (process.env.KILL_AT ?? "").split(" ");
const from = process.env.KILL_FROM ?? "";
let seen = 0;

function step(of: string): void {
  if (of !== kind || !fs.existsSync(from)) return;
  seen++;
  if (seen === Number(number)) process.kill(process.pid, "SIGKILL");
}

const texts = new WeakMap<StatementSync, string>();
let isPublishing = false;

const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...args: Parameters<typeof prepare>) {
  const statement = prepare.apply(this, args);
  texts.set(statement, args[0]);
  return statement;
};

for (const name of ["run", "all", "get"] as const) {
  const execute = StatementSync.prototype[name] as (this: StatementSync, ...args: readonly unknown[]) => unknown;
  const watched = function (this: StatementSync, ...args: readonly unknown[]): unknown {
    const sql = texts.get(this) ?? "";
    const isCommit = isPublishing && sql.startsWith("COMMIT");
    if (/^(?:INSERT|UPDATE|DELETE)[\s\S]*\bdeployment/.test(sql)) isPublishing = true;
    else if (!isCommit) return execute.apply(this, [...args]);
    step("store");
    const result = execute.apply(this, [...args]);
    if (isCommit) {
      isPublishing = false;
      step("store");
    }
    return result;
  };
  Object.assign(StatementSync.prototype, { [name]: watched });
}

const { rename } = fs.promises;
fs.promises.rename = async (...args: Parameters<typeof rename>) => {
  step("file");
  await rename(...args);
  step("file");
};
syncBuiltinESMExports();
