import type { Tokens } from "../tokens.ts";
import { localConsequences } from "./consequences.ts";
import type { SqlExecutor } from "./executor.ts";
import {
  acceptAssertion,
  endLineage,
  exchangeToken,
  introspectToken,
  isLive,
  issueToken,
  revokeToken,
} from "./tokens.ts";

/** Reads are decided by their last statement: a token never changes, and a tombstone never goes while it matters. */
export function sqlTokens(executor: SqlExecutor): Tokens {
  return {
    issue: (request) => executor.write((db) => issueToken(db, localConsequences(db), request)),
    acceptAssertion: (use) => executor.write((db) => acceptAssertion(db, use)),
    introspect: (reference, now) => executor.readLatest((db) => introspectToken(db, reference, now)),
    revoke: (reference, now, event) =>
      executor.write((db) => revokeToken(db, localConsequences(db), reference, now, event)),
    exchange: (request) => executor.write((db) => exchangeToken(db, localConsequences(db), request)),
    isLive: (lineage) => executor.readLatest((db) => isLive(db, lineage)),
    end: (ending) => executor.write((db) => endLineage(db, localConsequences(db), ending)),
  };
}
