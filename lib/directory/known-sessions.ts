import { sha256base64url } from "#sha256";
import { boundedCache } from "../kernel/bounded-cache.ts";
import { isSecretText } from "../kernel/secret-text.ts";
import type { BrowserSessionRecord } from "../stores/directory.ts";
import { type ApplicationSession, resumeSessionOfHash, type SessionPorts } from "./browser-sessions.ts";
import { type HostSessionPorts, sessionHashOf } from "./host-sessions.ts";

export type KnownSessionPorts = SessionPorts & HostSessionPorts;

/** Sessions of people at web apps, which ask for them with every request. */
export interface KnownSessions {
  /**
   * The live session that a cookie names; undefined if there is none, or its person is stopped in the whole instance. What
   * was read of it lately is not read again; times and stops count as they are now.
   *
   * @param hostname of the request, without a port
   * @throws StoreUnavailableError
   */
  resume(cookieValue: string, hostname: string): Promise<ApplicationSession | undefined>;
  /** The same session from the store, and remembered from then on: it was changed, here or elsewhere. */
  resumeAnew(sessionHash: string): Promise<ApplicationSession | undefined>;
  /** A session ended: it is read anew, and everybody who waits for its end is told. */
  forget(sessionHash: string): void;
  /** Calls once when the session is known to have ended. @returns what takes the call back */
  onEnd(sessionHash: string, ended: () => void): () => void;
}

export interface Memory {
  /** Milliseconds for which a record that was read is good; 0: each use reads. Another instance's sign-out takes so long. */
  readonly memory: number;
}

export function createKnownSessions(ports: KnownSessionPorts, { memory }: Memory): KnownSessions {
  const read = boundedCache<string, { readonly record: BrowserSessionRecord; readonly readAt: number }>(CAPACITY);
  const waiting = new Map<string, Set<() => void>>();
  let ends = 0;

  const forget = (sessionHash: string): void => {
    ends += 1;
    read.delete(sessionHash);
    const told = waiting.get(sessionHash);
    waiting.delete(sessionHash);
    for (const ended of told ?? []) ended();
  };

  const resumeOfHash = async (sessionHash: string): Promise<ApplicationSession | undefined> => {
    const now = ports.clock.now();
    const known = read.get(sessionHash);
    const endsBefore = ends;
    const isFresh = known !== undefined && now - known.readAt < memory;
    const session = await resumeSessionOfHash(ports, sessionHash, isFresh ? known.record : undefined);
    if (session === undefined) forget(sessionHash);
    // What ended while it was read is not kept.
    else if (memory > 0 && ends === endsBefore && !(isFresh && known.record === session)) {
      // A touched record is as old as what it was made of: what others changed meanwhile is not in it.
      read.put(sessionHash, { record: session, readAt: isFresh ? known.readAt : now });
    }
    return session;
  };

  return {
    resume: async (cookieValue, hostname) => {
      const sessionHash = await sessionHashOf(cookieValue, hostname, ports);
      return sessionHash === undefined ? undefined : resumeOfHash(sessionHash);
    },
    resumeAnew: (sessionHash) => {
      read.delete(sessionHash);
      return resumeOfHash(sessionHash);
    },
    forget,
    onEnd: (sessionHash, ended) => {
      const told = waiting.get(sessionHash) ?? new Set();
      waiting.set(sessionHash, told.add(ended));
      return () => {
        told.delete(ended);
        if (told.size === 0 && waiting.get(sessionHash) === told) waiting.delete(sessionHash);
      };
    },
  };
}

/** What sessions of people end with. */
export interface EndingPorts {
  readonly knownSessions: Pick<KnownSessions, "forget">;
  readonly stores: { readonly directory: Pick<SessionPorts["stores"]["directory"], "deleteBrowserSession"> };
}

/** Ends a session at the authorization server: its cookies are useless on every host, and whoever waits for its end is told. */
export async function endKnownSession({ stores, knownSessions }: EndingPorts, sessionHash: string): Promise<void> {
  await stores.directory.deleteBrowserSession(sessionHash);
  knownSessions.forget(sessionHash);
}

/** The same by the cookie's value on the host where people sign in. */
export async function endSessionOfCookie(ports: EndingPorts, value: string): Promise<void> {
  if (isSecretText(value)) await endKnownSession(ports, sha256base64url(value));
}

/** At some kilobytes each; claims have up to 32. */
const CAPACITY = 2_000;
