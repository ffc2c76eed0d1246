export const NEWLINE: u8 = 10
export const SPACE: u8 = 32
export const MINUS: u8 = 45
export const POINT: u8 = 46
export const ZERO: u8 = 48

/** The powers of ten that a double represents exactly. */
export const POWERS: StaticArray<f64> = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]

/** Returns whether a byte is white space as defined by C's `isspace`. */
export function isSpace(byte: u8): boolean {
  return byte <= SPACE && (byte == SPACE || <u8>(byte - 9) <= 4)
}

/** Copies a few bytes: a call of `memory.copy` takes longer. Returns the end of the copy. */
export function copyShort(from: usize, to: usize, into: usize): usize {
  for (; from < to; from++, into++) store<u8>(into, load<u8>(from))
  return into
}

/** Returns whether two ranges of the same length have the same bytes. */
export function sameBytes(a: usize, b: usize, length: usize): boolean {
  for (let i: usize = 0; i < length; i++) {
    if (load<u8>(a + i) != load<u8>(b + i)) return false
  }
  return true
}
