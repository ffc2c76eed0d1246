/**
 * Texts are read as UTF-8: an array of bytes is several times faster to walk
 * through than a string, whose representation is looked up at every step.
 */
const encoder = new TextEncoder()

/** A buffer larger than this is not kept for the next text. */
const KEPT_BYTES = 1 << 20

let buffer = new Uint8Array(1 << 13)

/** The bytes of a text, valid until the next call. A lone surrogate becomes U+FFFD. */
export function encode(text: string): Uint8Array {
  const most = text.length * 3
  let target = buffer
  if (target.length < most) {
    const kept = most * 2 <= KEPT_BYTES
    target = new Uint8Array(kept ? most * 2 : most)
    if (kept) buffer = target
  }
  return target.subarray(0, encoder.encodeInto(text, target).written)
}

/** The code point that starts at a byte. */
export function codeAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return first
  const second = bytes[at + 1]! & 0x3f
  if (first < 0xe0) return ((first & 0x1f) << 6) | second
  const third = bytes[at + 2]! & 0x3f
  if (first < 0xf0) return ((first & 0x0f) << 12) | (second << 6) | third
  return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 0x3f)
}

/** How many bytes a code point takes. */
export function widthOf(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}
