import { type ChildProcess, childProcesses, identity } from "./processes.ts";

/** More than caches, logs of a stream and a garbage collector's patience explain, bytes. */
const ALLOWED_GROWTH = 400 * 1024 * 1024;

/** Watches the processes that serve: they have to be there at the end, and not much larger. */
export interface ProcessWatch {
  /** Growth counts from here on: when what grows at first has grown. */
  measure(): void;
  /** What is wrong, and what was measured. */
  finish(): { readonly faults: readonly string[]; readonly lines: readonly string[] };
}

export function watchProcesses(): ProcessWatch {
  const started = childProcesses();
  let before = started;
  let ownBefore = own();
  return {
    measure: () => {
      before = childProcesses();
      ownBefore = own();
    },
    finish: () => {
      const after = new Map(childProcesses().map((child) => [identity(child), child]));
      const gone = started.filter((child) => !after.has(identity(child)));
      const pairs = before.flatMap((child) => {
        const now = after.get(identity(child));
        return now === undefined ? [] : [{ before: child, after: now }];
      });
      const grown = pairs.filter((pair) => pair.after.residentBytes - pair.before.residentBytes > ALLOWED_GROWTH);
      return {
        faults: [
          ...gone.map((child) => `ended: ${child.command}`),
          ...grown.map((pair) => `grew too much: ${pair.after.command}`),
        ],
        lines: [
          ...pairs.map(
            ({ before: first, after: last }) => `${megabytes(first)} then ${megabytes(last)}: ${last.command}`,
          ),
          `${megabytes(ownBefore)} then ${megabytes(own())}: this process, with the Lambda function and all log lines`,
        ],
      };
    },
  };
}

function own(): Pick<ChildProcess, "residentBytes"> {
  return { residentBytes: process.memoryUsage.rss() };
}

function megabytes({ residentBytes }: Pick<ChildProcess, "residentBytes">): string {
  return `${Math.round(residentBytes / 1024 / 1024)} MB`;
}
