/** A node of the tree of all pieces, with a branch for each next character. */
interface PieceNode {
  is_leaf: boolean
  children: ReadonlyMap<string, PieceNode>
}

/** The parts of the library's Unigram model that are used here. */
export interface UnigramModel {
  trie: { root: PieceNode }
  /** The log probability of each piece, by its id. */
  scores: readonly number[]
  tokens_to_ids: ReadonlyMap<string, number>
  /** For a character that no piece has. */
  unk_score: number
  /** Whether the library joins unknown pieces. */
  fuse_unk: boolean
  encode(words: readonly string[]): string[]
}

/**
 * Cuts words into the pieces of a Unigram model whose log probabilities have the largest sum;
 * characters side by side that no piece has are one. The library's own search makes an object for
 * each possible piece, and joins unknown characters in a time that grows with the square of their number.
 *
 * @returns The pieces of words, one word after the other.
 */
export function unigramPieces(model: UnigramModel): (words: readonly string[]) => string[] {
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

/** The scores of pieces that were met: looking a piece up by its text takes a time that grows with its length. */
type KnownScores = Map<PieceNode, number>

/** For each end, the start of the last piece of the best way to get there. */
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
