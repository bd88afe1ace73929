import type { Conversation } from "./conversation.ts";

/** What a runtime took to carry a catalog through a conversation. */
export interface EdgeUsage {
  readonly conversation: Conversation;
  /** Resident memory of the runtime's process afterward, bytes. */
  readonly resident: number;
  /** JavaScript's part of it, bytes. */
  readonly heap: number;
}
