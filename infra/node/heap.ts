import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What V8 offers as `gc` where `--expose-gc` is on. */
type Collect = (options: {
  readonly type: "major";
  readonly execution: "sync";
  readonly flavor: "last-resort";
}) => void;

/** By how many per cent old objects may grow until they are collected again, in each thread. */
const GROWTH = 50;

/**
 * Bounds what old objects that are garbage may take, in all threads of the process. V8 would let them grow to four times what is in use
 * before it looks, the more the less there is to do: a server that is a fifth busy would hold garbage for most of its memory (D196).
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}

/**
 * Collects what starting has left behind, some thirty megabytes that V8 would otherwise keep until it needs them, which an
 * idle server never does. Takes a tenth of a second at most, once.
 */
export function collectStartGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: Collect = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
