import type { Directory } from "../directory.ts";
import {
  browserSessionsOf,
  consumeSignInLink,
  createBrowserSession,
  createSignInLink,
  deleteBrowserSession,
  getBrowserSession,
  touchBrowserSession,
} from "./browser-sessions.ts";
import { localConsequences } from "./consequences.ts";
import { createFirstOrganization, createFirstOwner, firstOrganization, getOrganization } from "./directory.ts";
import type { SqlExecutor } from "./executor.ts";
import { findPersonByEmail, getPerson, membershipsOf } from "./people.ts";

export function sqlDirectory(executor: SqlExecutor): Directory {
  return {
    createFirstOrganization: (organization, event) =>
      executor.write((db) => createFirstOrganization(db, localConsequences(db), organization, event)),
    createFirstOwner: (first, event) =>
      executor.write((db) => createFirstOwner(db, localConsequences(db), first, event)),
    // One statement, and the calls of an instance that has none ask again and again.
    firstOrganization: () => executor.readLatest(firstOrganization),
    getOrganization: (organizationId) => executor.read((db) => getOrganization(db, organizationId)),
    getPerson: (userId) => executor.read((db) => getPerson(db, userId)),
    findPersonByEmail: (email) => executor.read((db) => findPersonByEmail(db, email)),
    memberships: (userId) => executor.read((db) => membershipsOf(db, userId)),
    createSignInLink: (link, event) => executor.write((db) => createSignInLink(db, localConsequences(db), link, event)),
    consumeSignInLink: (secretHash, now) => executor.write((db) => consumeSignInLink(db, secretHash, now)),
    createBrowserSession: (session) => executor.write((db) => createBrowserSession(db, session)),
    getBrowserSession: (sessionHash) => executor.read((db) => getBrowserSession(db, sessionHash)),
    touchBrowserSession: (sessionHash, at) => executor.write((db) => touchBrowserSession(db, sessionHash, at)),
    deleteBrowserSession: (sessionHash) => executor.write((db) => deleteBrowserSession(db, sessionHash)),
    browserSessions: (userId, now) => executor.read((db) => browserSessionsOf(db, userId, now)),
  };
}
