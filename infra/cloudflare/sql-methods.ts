import type { Operations } from "../../lib/stores/operations.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import type { Effects, SqlOperation, SqlOperations } from "../../lib/stores/sql/operations.ts";
import type { Methods } from "./object-operations.ts";

/** What methods in SQL work with. */
export interface SqlState {
  readonly db: SqlDatabase;
  /** Makes a change and has its effects delivered to other objects. */
  change<T>(work: (effects: Effects) => T, hadEffects: (result: T) => boolean): Promise<T>;
}

/** An object whose class has some of the methods in the table. */
interface SqlObject<Table extends Operations> {
  prototype: Partial<Methods<Table>>;
}

/**
 * Gives a Durable Object's class the methods of the table that it does not have itself. Other objects can only call what is
 * part of the prototype.
 *
 * @param stateOf the state that the constructor made
 */
export function addSqlMethods<Table extends Operations, Class extends SqlObject<Table>>(
  objectClass: Class,
  stateOf: (object: Class["prototype"]) => SqlState,
  operations: Omit<SqlOperations<Table>, keyof Class["prototype"]>,
): void {
  for (const [name, operation] of Object.entries(operations as Readonly<Record<string, SqlOperation>>)) {
    if (name in objectClass.prototype) continue;
    Object.defineProperty(objectClass.prototype, name, {
      value(this: Class["prototype"], ...args: never[]): unknown {
        const { db, change } = stateOf(this);
        if (operation.how !== "change") return operation.work(db, ...args);
        return change((effects) => operation.work(db, effects, ...args), operation.hadEffects);
      },
    });
  }
}
