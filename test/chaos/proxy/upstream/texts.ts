/** What tools are called with. */
export interface ToolArguments {
  readonly nonce: string;
  /** Who calls: a session keeps the first that it hears. */
  readonly label: string;
}

export const TOOLS = ["echo", "slow", "big", "half", "grumble"] as const;

export type ToolName = (typeof TOOLS)[number];

/** What every result says, so that one that belongs to another call shows. */
export interface Said {
  readonly app: string;
  /** The tool, or `read`. */
  readonly what: string;
  readonly nonce: string;
  readonly principal: string;
  /** The label that the session heard first. */
  readonly label: string;
}

/** Characters of the answers of `big` and `half`. */
const LENGTH = 1024 * 1024;

/** Text of one megabyte that no other call has. */
export function longText(nonce: string): string {
  const line = `${nonce} "quoted" \\ ü\n`;
  return line.repeat(Math.ceil(LENGTH / line.length)).slice(0, LENGTH);
}
