import type { Logger } from "../../logging/logger.ts";
import type { ListKind } from "../../proxy/catalog/kinds.ts";

/** What an app lists under a name that another app, which goes before it, has as well. */
export interface HiddenName {
  /** The app whose entry agents do not see. */
  readonly app: string;
  /** The app whose entry they see. */
  readonly behind: string;
  readonly name: string;
}

export interface HiddenNames {
  /** Warns of what is hidden, once for each kind and two apps: lists are asked for again and again. */
  tell(kind: ListKind, hidden: readonly HiddenName[], logger: Logger): void;
}

/** As long as the configuration is the same. */
export function createHiddenNames(): HiddenNames {
  const told = new Set<string>();
  return {
    tell: (kind, hidden, logger) => {
      for (const { app, behind, name } of hidden) {
        const pair = JSON.stringify([kind, app, behind]);
        if (told.has(pair)) continue;
        told.add(pair);
        const count = hidden.filter((other) => other.app === app && other.behind === behind).length;
        logger.warn("names of an app are another's, which goes before it", { kind, app, behind, count, example: name });
      }
    },
  };
}
