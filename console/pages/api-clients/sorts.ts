/** In which orders the list can be. */
export const SORTS = [
  { value: "-createdAt", label: "Newest first" },
  { value: "createdAt", label: "Oldest first" },
  { value: "name", label: "Name, A to Z" },
  { value: "-name", label: "Name, Z to A" },
] as const;

export type Sort = (typeof SORTS)[number]["value"];

export const DEFAULT_SORT: Sort = "-createdAt";
