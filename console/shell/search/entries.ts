/** One line of the search: somewhere to go, or something to do. */
export interface Entry {
  /** Unique among all entries. */
  readonly id: string;
  readonly label: string;
  /** Shown beside the label. */
  readonly detail?: string;
  /** Other words that find it. */
  readonly words?: string;
  readonly run: () => void;
}

export interface EntryGroup {
  readonly heading: string;
  readonly entries: readonly Entry[];
}

/** What is shown of a group: nobody reads more, and another letter narrows it. */
const SHOWN = 6;

/**
 * The entries in which every word of the search is found, in any case. Those whose label begins with the search stand before those with a
 * word that does, and these before the rest.
 */
export function matching(entries: readonly Entry[], search: string): readonly Entry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const text = words.join(" ");
  const ranked = entries.flatMap((entry) => {
    const label = entry.label.toLowerCase();
    const all = `${label} ${entry.detail ?? ""} ${entry.words ?? ""}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return [];
    const rank = label.startsWith(text) ? 0 : wordsOf(label).some((word) => word.startsWith(text)) ? 1 : 2;
    return [{ entry, rank }];
  });
  return ranked
    .sort((one, other) => one.rank - other.rank)
    .slice(0, SHOWN)
    .map(({ entry }) => entry);
}

/** Names of tools are words joined by `_`, `-` and capitals. */
function wordsOf(label: string): readonly string[] {
  return label.split(/[^\p{L}\p{N}]+/u);
}
