import { Tokenizer } from '@huggingface/tokenizers'
import type { JsonObject } from '../json.ts'

/**
 * A normalizer of the library: a sequence of normalizers, a normalizer with a table of
 * replacements, or neither.
 */
interface Normalizer {
  normalizers?: readonly (Normalizer | null)[]
  charsmap?: string | null
  normalize(text: string): string
}

/**
 * Opens the library's tokenizer for a description, with Kith's own search and replacements for
 * Unigram models. The tokenizer only encodes; the decoder is not read.
 */
export function openTokenizer(description: JsonObject, config: JsonObject): Tokenizer {
  const tokenizer = new Tokenizer({ ...description, decoder: null }, config)
  const model: Partial<UnigramModel> = tokenizer.model
  if (model.trie) {
    model.encode = unigramPieces(model as UnigramModel)
    model.fuse_unk = false
  }
  useCharsmap(tokenizer.normalizer)
  return tokenizer
}

/**
 * Makes normalizers apply their tables of replacements; the library applies NFKC instead of any
 * table.
 */
function useCharsmap(normalizer: Normalizer | null): void {
  normalizer?.normalizers?.forEach(useCharsmap)
  if (normalizer?.charsmap) normalizer.normalize = charsmap(normalizer.charsmap)
}

/** Graphemes with more bytes than this are looked up character by character. */
const LONGEST_GRAPHEME = 5

/** Maximum length of a replacement in bytes; Unicode's longest has 33. */
const LONGEST_REPLACEMENT = 64

/** Maximum number of replacements that are remembered. */
const KNOWN = 10_000

/** Matches a character with the combining marks after it, or any other character. */
const GRAPHEME =
  /\r\n|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}][\p{Grapheme_Extend}\p{Emoji_Modifier}\p{Mc}\u200d]+|[\s\S]/gu

const utf8 = new TextEncoder()
const text = new TextDecoder()

/**
 * Returns a function that applies the table of replacements in SentencePiece's tokenizers
 * (`precompiled_charsmap`), to each grapheme as a whole, else to each of its characters. The table
 * is a double-array trie over UTF-8; its leaves contain positions in the text of replacements after
 * the trie.
 *
 * @param encoded The table in base64.
 */
function charsmap(encoded: string): (from: string) => string {
  const bytes = Buffer.from(encoded, 'base64')
  const size = bytes.length < 4 ? Infinity : bytes.readUInt32LE(0)
  if (size % 4 !== 0 || 4 + size > bytes.length) {
    throw new Error('precompiled_charsmap is truncated')
  }
  const units = Uint32Array.from({ length: size / 4 }, (_, i) => bytes.readUInt32LE(4 + 4 * i))
  const replacements = bytes.subarray(4 + size)
  const replacement = (part: string): string | undefined => {
    const at = shortestMatch(units, utf8.encode(part))
    if (at === undefined) return undefined
    const rest = replacements.subarray(at, at + LONGEST_REPLACEMENT + 1)
    const end = rest.indexOf(0)
    if (end < 0) throw new Error('precompiled_charsmap has a replacement without an end')
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
      // A grapheme can be as long as a text: only short graphemes are remembered.
      if (grapheme.length <= LONGEST_GRAPHEME && known.size < KNOWN) known.set(grapheme, found)
      return found
    })
}

/** Returns the value of the shortest key that is a prefix of the bytes. */
function shortestMatch(units: Uint32Array, bytes: Uint8Array): number | undefined {
  let node = offset(units[0] ?? 0)
  for (const byte of bytes) {
    node ^= byte
    const unit = units[node]
    // The label is the lowest byte; a unit with the top bit set is a value.
    if (byte === 0 || unit === undefined || (unit & 0x800000ff) !== byte) return undefined
    node ^= offset(unit)
    if ((unit >>> 8) & 1) return (units[node] ?? 0) & 0x7fffffff
  }
  return undefined
}

/** Returns the distance to a unit's children; if bit 9 is set, the distance is in steps of 256. */
function offset(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6)
}

/** A node in the trie of all pieces, with a branch for each next character. */
interface PieceNode {
  is_leaf: boolean
  children: ReadonlyMap<string, PieceNode>
}

/** The parts of the library's Unigram model that Kith uses. */
interface UnigramModel {
  trie: { root: PieceNode }
  /** The log probability of each piece, by id. */
  scores: readonly number[]
  tokens_to_ids: ReadonlyMap<string, number>
  /** The score of a character that no piece contains. */
  unk_score: number
  /** Whether the library joins unknown pieces. */
  fuse_unk: boolean
  encode(words: readonly string[]): string[]
}

/**
 * Splits words into the pieces of a Unigram model with the largest sum of log probabilities;
 * adjacent characters that no piece contains are joined. The library's own search creates an object
 * for each possible piece, and joins unknown characters in quadratic time.
 *
 * @returns The pieces of all words, in order.
 */
function unigramPieces(model: UnigramModel): (words: readonly string[]) => string[] {
  const known: KnownScores = new Map()
  return (words) => {
    const pieces: string[] = []
    for (const word of words) {
      const chars = Array.from(word)
      const starts = bestStarts(model, known, chars)
      const unknown = (at: number) => starts[at + 1] === at && !model.tokens_to_ids.has(chars[at]!)
      const from = pieces.length
      for (let end = chars.length; end > 0; ) {
        let start = starts[end]!
        if (unknown(end - 1)) while (start > 0 && unknown(start - 1)) start--
        pieces.push(chars.slice(start, end).join(''))
        end = start
      }
      reverseFrom(pieces, from)
    }
    return pieces
  }
}

/**
 * The scores of pieces that were already looked up: looking a piece up by its text takes a time
 * that grows with its length.
 */
type KnownScores = Map<PieceNode, number>

/** Returns, for each end position, the start of the last piece of the best segmentation. */
function bestStarts(model: UnigramModel, known: KnownScores, chars: readonly string[]): Int32Array {
  const { trie, scores, tokens_to_ids: ids, unk_score: unknown } = model
  const best = new Float64Array(chars.length + 1).fill(-Infinity)
  const starts = new Int32Array(chars.length + 1)
  best[0] = 0
  for (let start = 0; start < chars.length; start++) {
    const reach = (end: number, score: number) => {
      if (best[start]! + score <= best[end]!) return
      best[end] = best[start]! + score
      starts[end] = start
    }
    let alone = false
    let piece = ''
    let node = trie.root.children.get(chars[start]!)
    for (let end = start + 1; node; end++) {
      piece += chars[end - 1]!
      if (node.is_leaf) {
        const score = known.get(node) ?? scores[ids.get(piece)!]!
        known.set(node, score)
        reach(end, score)
        alone ||= end === start + 1
      }
      node = end < chars.length ? node.children.get(chars[end]!) : undefined
    }
    if (!alone) reach(start + 1, unknown)
  }
  return starts
}

function reverseFrom(list: string[], from: number): void {
  for (let to = list.length - 1; from < to; from++, to--) {
    ;[list[from], list[to]] = [list[to]!, list[from]!]
  }
}
