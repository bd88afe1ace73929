import type { CallCost } from "../openapi/call-cost.ts";
import type { CompileUsage } from "../openapi/compile.ts";
import type { LoadUsage } from "../openapi/load.ts";
import type { PeerUsage } from "../openapi/peer.ts";
import type { SearchUsage } from "../openapi/search.ts";
import type { Finding } from "./finding.ts";
import { kibibytes, mebibytes } from "./sizes.ts";
import { milliseconds, times, whole } from "./statistics.ts";

const COMPILE_LIMIT = 3_000;
const PEAK_LIMIT = 500 * 1024 * 1024;
const SIZE_LIMIT = 350 * 1024;
const LOAD_LIMIT = 20;
const HEAP_LIMIT = 15 * 1024 * 1024;
const SEARCH_LIMIT = 5;
/** A token is about four bytes of English or JSON. */
const BYTES_A_TOKEN = 4;
const TOKENS_LIMIT = 1_200;
/** Microseconds. */
const CALL_LIMIT = 300;

/** @param size of the artifact, gzip, bytes */
export function compileFindings({ milliseconds: time, peak, tools, leftOut }: CompileUsage, size: number): Finding[] {
  return [
    {
      what: "Compiling GitHub's document",
      measured: milliseconds(time, 0),
      against: `${whole(tools)} tools, ${leftOut} left out`,
      ...within(time, COMPILE_LIMIT, milliseconds(COMPILE_LIMIT, 0)),
    },
    {
      what: "Memory of the process that compiles it",
      measured: mebibytes(peak),
      against: "",
      ...within(peak, PEAK_LIMIT, mebibytes(PEAK_LIMIT)),
    },
    {
      what: "Its artifact, gzip",
      measured: kibibytes(size),
      against: "",
      ...within(size, SIZE_LIMIT, kibibytes(SIZE_LIMIT)),
    },
  ];
}

export function loadFindings({ milliseconds: time, again, heap }: LoadUsage): Finding[] {
  return [
    {
      what: "Loading the artifact in a new process",
      measured: milliseconds(time),
      against: `${milliseconds(again)} for an index of the same tools`,
      ...within(time, LOAD_LIMIT, milliseconds(LOAD_LIMIT, 0)),
    },
    {
      what: "Heap of the loaded artifact",
      measured: mebibytes(heap),
      against: "",
      ...within(heap, HEAP_LIMIT, mebibytes(HEAP_LIMIT)),
    },
  ];
}

export function searchFindings({ first, typical, slowest, heap, listed }: SearchUsage): Finding[] {
  const tokens = listed / BYTES_A_TOKEN;
  return [
    {
      what: "A search, the slowest of ten questions",
      measured: milliseconds(slowest),
      against: `${milliseconds(typical)} in the middle; ${milliseconds(first, 0)} for the first, with the index`,
      ...within(slowest, SEARCH_LIMIT, milliseconds(SEARCH_LIMIT, 0)),
    },
    { what: "Memory of the search index", measured: mebibytes(heap), against: "" },
    {
      what: "Tokens of the tools to search with",
      measured: whole(tokens),
      against: `${whole(listed)} bytes`,
      ...within(tokens, TOKENS_LIMIT, whole(TOKENS_LIMIT)),
    },
  ];
}

export function callFindings(ours: CallCost, peer: CallCost): Finding[] {
  const [above, peerAbove] = [ours.call - ours.fetch, peer.call - peer.fetch];
  return [
    {
      what: "CPU of a call above a plain fetch",
      measured: microseconds(above),
      against: `${microseconds(ours.fetch)} for the fetch; the peer ${microseconds(peerAbove)} above it`,
      ...within(above, CALL_LIMIT, microseconds(CALL_LIMIT)),
    },
  ];
}

/** The peer compiles at each start, and lists every tool. */
export function peerFindings(ours: CompileUsage, load: LoadUsage, search: SearchUsage, peer: PeerUsage): Finding[] {
  return [
    {
      what: "From start to tools, beside the peer",
      measured: milliseconds(load.milliseconds),
      against: `${milliseconds(peer.milliseconds, 0)}, ${whole(peer.tools)} tools`,
      ratio: times(load.milliseconds / peer.milliseconds),
    },
    {
      what: "Peak of memory for it, beside the peer",
      measured: `${mebibytes(ours.peak)}, when built`,
      against: `${mebibytes(peer.peak)}, at each start`,
    },
    {
      what: "Bytes of tools/list, beside the peer",
      measured: whole(search.listed),
      against: whole(peer.listed),
      ratio: times(search.listed / peer.listed),
    },
  ];
}

function within(value: number, limit: number, target: string): Pick<Finding, "target" | "met"> {
  return { target: `≤ ${target}`, met: value <= limit };
}

function microseconds(value: number): string {
  return `${whole(value)} µs`;
}
