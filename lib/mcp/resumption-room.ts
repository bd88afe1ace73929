/** What streams without a client may hold of an instance (checklist 57). Each caller has a share of its own. */
export interface ResumptionRoom {
  /** Whether so many characters more may be kept for a caller; if so, they count. */
  take(caller: string, characters: number): boolean;
  release(caller: string, characters: number): void;
  /** Whether one more stream of a caller may go on without a client; if so, it counts. */
  stayAway(caller: string): boolean;
  comeBack(caller: string): void;
}

const CHARACTERS = { instance: 8 * 1024 * 1024, caller: 2 * 1024 * 1024 };
const STREAMS = { instance: 500, caller: 20 };

export function createResumptionRoom(): ResumptionRoom {
  const characters = shared(CHARACTERS);
  const streams = shared(STREAMS);
  return {
    take: characters.take,
    release: characters.release,
    stayAway: (caller) => streams.take(caller, 1),
    comeBack: (caller) => streams.release(caller, 1),
  };
}

/** Something of which an instance has so much, and each caller no more than its share. */
function shared({ instance, caller: share }: { readonly instance: number; readonly caller: number }) {
  const taken = new Map<string, number>();
  let total = 0;
  const change = (caller: string, by: number): void => {
    const left = (taken.get(caller) ?? 0) + by;
    total += by;
    if (left === 0) taken.delete(caller);
    else taken.set(caller, left);
  };
  return {
    take: (caller: string, amount: number): boolean => {
      const hasRoom = total + amount <= instance && (taken.get(caller) ?? 0) + amount <= share;
      if (hasRoom) change(caller, amount);
      return hasRoom;
    },
    release: (caller: string, amount: number): void => change(caller, -amount),
  };
}
