import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { member } from "./plain.ts";

/** Member of a bundled document that holds what it was made of beside the root; no document has a use for the name. */
export const BUNDLE = "x-countersign-bundle";

/** What is under `BUNDLE`. */
export interface Bundle {
  /** Contents of the other documents. */
  readonly contents: readonly unknown[];
  /** Their URIs. */
  readonly uris: readonly string[];
  /** References to documents that are not there; one of them has become `UNREAD` and its place in this list. */
  readonly unread: readonly UnreadReference[];
  /** `paths` of a Swagger document as they were before they were converted, so that references into them lead there. */
  readonly original?: { readonly paths: unknown };
}

export interface UnreadReference {
  /** As written. */
  readonly reference: string;
  /** Where it leads; absent: nowhere that could be asked. */
  readonly uri?: string;
  /** Why the document is not there: what follows "which". */
  readonly reason: string;
}

/** Scheme of references that lead to nothing that was read. */
export const UNREAD = "unread:";

export function bundleOf(document: JsonObject): Partial<Bundle> {
  const bundle = member(document, BUNDLE);
  return isJsonObject(bundle) ? bundle : {};
}

/** Where the content of a document other than the root stands. */
export function placeOf(index: number): string {
  return `/${BUNDLE}/contents/${index}`;
}

/** Which document a JSON Pointer from the root of a bundle leads into, undefined for the root, and to where in it. */
export function sourceOf(pointer: string): { readonly index: number | undefined; readonly pointer: string } {
  const [, index, inside = ""] = CONTENT.exec(pointer) ?? [];
  if (index !== undefined) return { index: Number(index), pointer: inside };
  return { index: undefined, pointer: pointer.replace(ORIGINAL, "") };
}

/** What people would call the place of a pointer: its last name, for a whole document that of its file. */
export function lastName(document: JsonObject, pointer: string): string {
  const source = sourceOf(pointer);
  if (source.index === undefined || source.pointer !== "") return pointer.split("/").at(-1) ?? "";
  const [path = ""] = (bundleOf(document).uris?.[source.index] ?? "").split(/[?#]/, 1);
  return (path.split("/").at(-1) ?? "").replace(/\.(json|ya?ml)$/i, "");
}

/** Where members of a converted root document stand as they were. */
export const ORIGINAL_PLACE = `/${BUNDLE}/original`;

const CONTENT = new RegExp(`^/${BUNDLE}/contents/(\\d+)(/.*)?$`, "s");
const ORIGINAL = new RegExp(`^${ORIGINAL_PLACE}(?=/|$)`);
