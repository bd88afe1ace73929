/** Bytes that belong together and may come one after another. */
export interface Turn {
  /** Whether everything before is out, so that bytes of this turn go out as they come. */
  isUp(): boolean;
  add(bytes: Uint8Array): void;
  /** Nothing more comes; the next turn is up. */
  end(): void;
}

/** What several write at the same time, one turn behind the other. */
export interface InOrder {
  /** A turn of its own. */
  whole(bytes: Uint8Array): void;
  begin(): Turn;
  isBusy(): boolean;
  /** Bytes that wait for their turn. */
  held(): number;
}

interface Waiting {
  readonly bytes: Uint8Array[];
  isOver: boolean;
}

/** @param put takes the bytes as they go out */
export function inOrder(put: (bytes: Uint8Array) => void): InOrder {
  const turns: Waiting[] = [];
  let held = 0;
  const release = (turn: Waiting | undefined): void => {
    for (const bytes of turn?.bytes.splice(0) ?? []) {
      held -= bytes.length;
      put(bytes);
    }
  };
  const begin = (): Turn => {
    const turn: Waiting = { bytes: [], isOver: false };
    turns.push(turn);
    const isUp = () => turns[0] === turn;
    return {
      isUp,
      add: (bytes) => {
        if (isUp()) return put(bytes);
        turn.bytes.push(bytes);
        held += bytes.length;
      },
      end: () => {
        turn.isOver = true;
        while (turns[0]?.isOver) {
          turns.shift();
          release(turns[0]);
        }
      },
    };
  };
  return {
    whole: (bytes) => {
      const turn = begin();
      turn.add(bytes);
      turn.end();
    },
    begin,
    isBusy: () => turns.length > 0,
    held: () => held,
  };
}
