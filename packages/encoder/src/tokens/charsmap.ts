/** Graphemes of more bytes than this are looked up character by character. */
const LONGEST_GRAPHEME = 5

/** Bytes of a replacement; Unicode's longest has 33. */
const LONGEST_REPLACEMENT = 64

/** Replacements that are remembered. */
const KNOWN = 10_000

/** A character with the marks behind it, or any other character. */
const GRAPHEME =
  /\r\n|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}][\p{Grapheme_Extend}\p{Emoji_Modifier}\p{Mc}\u200d]+|[\s\S]/gu

const utf8 = new TextEncoder()
const text = new TextDecoder()

/**
 * The table of replacements in SentencePiece's tokenizers (`precompiled_charsmap`), for each
 * grapheme as a whole, else for each of its characters. The table is a double-array trie over
 * UTF-8 whose leaves say where a replacement stands in the text behind it.
 *
 * @param encoded The table in base 64.
 */
export function charsmap(encoded: string): (from: string) => string {
  const bytes = Buffer.from(encoded, 'base64')
  const size = bytes.length < 4 ? Infinity : bytes.readUInt32LE(0)
  if (size % 4 !== 0 || 4 + size > bytes.length) {
    throw new Error('its precompiled_charsmap is cut off')
  }
  const units = Uint32Array.from({ length: size / 4 }, (_, i) => bytes.readUInt32LE(4 + 4 * i))
  const replacements = bytes.subarray(4 + size)
  const replacement = (part: string): string | undefined => {
    const at = shortestMatch(units, utf8.encode(part))
    if (at === undefined) return undefined
    const rest = replacements.subarray(at, at + LONGEST_REPLACEMENT + 1)
    const end = rest.indexOf(0)
    if (end < 0) throw new Error('its precompiled_charsmap has a replacement without an end')
    return text.decode(rest.subarray(0, end))
  }
  const replaced = (grapheme: string): string => {
    const whole =
      utf8.encode(grapheme).length <= LONGEST_GRAPHEME ? replacement(grapheme) : undefined
    return whole ?? Array.from(grapheme, (char) => replacement(char) ?? char).join('')
  }
  const known = new Map<string, string>()
  return (from) =>
    from.replace(GRAPHEME, (grapheme) => {
      const found = known.get(grapheme) ?? replaced(grapheme)
      // A grapheme can be as long as a text: only short ones are remembered.
      if (grapheme.length <= LONGEST_GRAPHEME && known.size < KNOWN) known.set(grapheme, found)
      return found
    })
}

/** The value of the shortest key that the bytes begin with. */
function shortestMatch(units: Uint32Array, bytes: Uint8Array): number | undefined {
  let node = offset(units[0] ?? 0)
  for (const byte of bytes) {
    node ^= byte
    const unit = units[node]
    // The label is the lowest byte; a unit with the top bit is a value.
    if (byte === 0 || unit === undefined || (unit & 0x800000ff) !== byte) return undefined
    node ^= offset(unit)
    if ((unit >>> 8) & 1) return (units[node] ?? 0) & 0x7fffffff
  }
  return undefined
}

/** How far a unit's children are; the tenth bit says that the distance is in steps of 256. */
function offset(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6)
}
