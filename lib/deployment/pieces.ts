import { base64, concatenated, fromBase64 } from "../kernel/encoding.ts";
import { type BundlePiece, type Deployments, PIECE_LENGTH } from "../stores/deployments.ts";

/** Parts of the base64 (RFC 4648 §4) of bytes that are kept under a name. */
export function piecesOf(bundle: string, bytes: Uint8Array): readonly BundlePiece[] {
  const text = base64(bytes);
  return Array.from({ length: pieceCount(bytes.length) }, (_, number) => {
    return { bundle, number, text: text.slice(number * PIECE_LENGTH, (number + 1) * PIECE_LENGTH) };
  });
}

/** @param bytes before base64 */
export function pieceCount(bytes: number): number {
  return Math.ceil((Math.ceil(bytes / 3) * 4) / PIECE_LENGTH);
}

/** The bytes of so many that are kept under a name; undefined: a piece is not there. */
export async function joinedPieces(
  deployments: Pick<Deployments, "piece">,
  bundle: string,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const numbers = Array.from({ length: pieceCount(bytes) }, (_, number) => number);
  const pieces = await Promise.all(numbers.map((number) => deployments.piece(bundle, number)));
  if (pieces.includes(undefined)) return undefined;
  // Each piece is whole base64: its length is a multiple of four.
  return concatenated(pieces.map((piece) => fromBase64(piece?.text ?? "")));
}
