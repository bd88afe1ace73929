import { randomFillSync } from "node:crypto";
import { closeSync, ftruncateSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { hasCode } from "../files/file-error.ts";

/** Disk space that is held for the store, to be given up when the disk is full. */
export interface Reserve {
  /** Bytes that it has when it is whole. */
  readonly size: number;
  isWhole(): boolean;
  /** Takes the space, a part at a time so that other work goes on. `impossible`: the disk has room, and the file cannot be made. */
  take(): Promise<"whole" | "no_room" | "impossible">;
  /** Frees the space; true when there was some. */
  giveUp(): boolean;
}

/** Bytes of the reserve, and the share of a small file system that it has at most. */
const SIZE = 16 * 1024 * 1024;
const SHARE = 1 / 4;
const CHUNK = 1024 * 1024;

/** @param spare the share of its size that has to be free beside it when it is taken anew, so that the disk is not full at once again */
export function diskReserve(folder: string, spare = 1 / 2): Reserve {
  const file = join(folder, "countersign.reserve");
  const size = sizeIn(folder);
  /** What is being written; it ends what was begun before. */
  let descriptor: number | undefined;

  const held = (): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const stop = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  const giveUp = (): boolean => {
    stop();
    const had = held() > 0;
    try {
      rmSync(file, { force: true });
      return had;
    } catch {
      // The file system is read-only, for example: nothing is gained.
      return false;
    }
  };
  const fill = async (): Promise<void> => {
    const mine = openSync(file, "a", 0o600);
    descriptor = mine;
    // Not zeros: file systems that compress would hold nothing for them.
    const bytes = randomFillSync(Buffer.allocUnsafe(CHUNK));
    for (let length = held(); length < size; length += CHUNK) {
      writeAll(mine, bytes.subarray(0, Math.min(CHUNK, size - length)));
      await setImmediate();
      // Given up meanwhile.
      if (descriptor !== mine) return;
    }
    ftruncateSync(mine, size);
    stop();
  };
  return {
    size,
    isWhole: () => descriptor === undefined && held() >= size,
    giveUp,
    take: async () => {
      stop();
      try {
        const missing = Math.max(0, size - held());
        if (missing > 0 && freeIn(folder) < missing + spare * size) return "no_room";
        await fill();
        // Another process may be filling it beside this one, and cut it to its size afterwards.
        return held() >= size ? "whole" : "no_room";
      } catch (error) {
        giveUp();
        return hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT") ? "no_room" : "impossible";
      }
    },
  };
}

/** A file system that does not tell its size has 0 blocks. */
function sizeIn(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  return blocks === 0 ? SIZE : Math.min(SIZE, Math.floor(blocks * bsize * SHARE));
}

function freeIn(folder: string): number {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}
