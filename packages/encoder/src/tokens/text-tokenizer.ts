import { type Context, createContext, Script } from 'node:vm'
import type { Tokenizer } from '@huggingface/tokenizers'
import { FileError } from '@kith/base'
import { KithError } from '@kith/core'
import { isObject, type JsonObject } from '../json.ts'
import { checkDescription, endOfPiece, splitsAtSpaces } from './check-description.ts'
import { openTokenizer } from './open-tokenizer.ts'

/** Characters of a long text that are tokenized at a time. */
const PIECE = 2000
/** Maximum number of characters that are tokenized at a time if a text has no spaces. */
const LONGEST_PIECE = 20_000

/** The tokens of a text. */
export interface Tokens {
  ids: number[]
  /** Whether the text was truncated at the model's limit. */
  cut: boolean
}

/** The tokens of a pair of texts. */
interface PairTokens extends Tokens {
  /**
   * Segment types: 0 for the first text, 1 for the second, each including the special tokens after
   * it.
   */
  types: number[]
}

/** Turns texts into token ids, with the model's special tokens. */
export class TextTokenizer {
  readonly #file: string
  readonly #tokenizer: Tokenizer
  readonly #watch: Watch
  readonly #longestPiece: number
  readonly #before: number[]
  readonly #after: number[]
  readonly #inPieces: boolean
  readonly #room: number
  readonly #maxTokens: number
  /** The largest token id that can occur. */
  readonly largestId: number

  /**
   * @param file The file of the description, for error messages.
   * @param description The contents of `tokenizer.json`.
   * @param config The contents of `tokenizer_config.json`.
   * @param maxTokens Maximum number of tokens of a text, special tokens included.
   */
  constructor(file: string, description: JsonObject, config: JsonObject, maxTokens: number) {
    checkDescription(file, description, config)
    this.largestId = largestTokenId(file, description)
    this.#file = file
    this.#watch = watchPatterns(description)
    try {
      this.#tokenizer = this.#watch(0, () => openTokenizer(description, config))
      // WordPiece has one token for a long word of any length.
      const wordPiece = 'max_input_chars_per_word' in this.#tokenizer.model
      this.#longestPiece = wordPiece ? Infinity : LONGEST_PIECE
      const bare = this.#bare('a')
      const whole = this.#watch(1, (): number[] => this.#tokenizer.encode('a').ids)
      const at = placeOf(bare, whole, 0)
      // Without special tokens, an empty text would have no tokens.
      if (at < 0 || whole.length === bare.length)
        throw new Error('the tokenizer adds no special tokens around a text')
      this.#before = whole.slice(0, at)
      this.#after = whole.slice(at + bare.length)
    } catch (error) {
      if (error instanceof FileError) throw error
      throw new FileError(file, '', `is not a tokenizer: ${(error as Error).message}`)
    }
    this.#inPieces = splitsAtSpaces(description)
    this.#maxTokens = maxTokens
    this.#room = maxTokens - this.#before.length - this.#after.length
    if (this.#room < 1) {
      throw new FileError(file, '', `maxTokens must leave room for a text, got ${maxTokens}`)
    }
  }

  /** Tokenizes a text, truncated at the model's limit. */
  encode(text: string): Tokens {
    const { ids, cut } = this.#body(text, this.#room)
    return { ids: [...this.#before, ...ids, ...this.#after], cut }
  }

  /**
   * Returns a function that tokenizes pairs of the query and a text, with the special tokens of the
   * tokenizer's own template. Only texts are truncated: a query that leaves them no room is an
   * error.
   */
  pairsWith(query: string): (text: string) => PairTokens {
    const { before, between, after } = this.#pairTemplate()
    const special = before.length + between.length + after.length
    const { ids: first, cut: tooLong } = this.#body(query, this.#maxTokens)
    const room = this.#maxTokens - special - first.length
    if (tooLong || room < 1) {
      const problem = `the query is too long: a pair of query and text can have at most ${this.#maxTokens} tokens`
      throw new KithError('BAD_INPUT', problem)
    }
    const start = [...before, ...first, ...between]
    return (text) => {
      const { ids, cut } = this.#body(text, room)
      const second = ids.length + after.length
      return {
        ids: [...start, ...ids, ...after],
        types: [...new Array(start.length).fill(0), ...new Array(second).fill(1)],
        cut,
      }
    }
  }

  /** Returns the special tokens before, between and after the texts of a pair. */
  #pairTemplate(): { before: number[]; between: number[]; after: number[] } {
    const [a, b] = [this.#bare('a'), this.#bare('b')]
    const whole = this.#watch(
      2,
      (): number[] => this.#tokenizer.encode('a', { text_pair: 'b' }).ids,
    )
    const first = placeOf(a, whole, 0)
    const second = placeOf(b, whole, first + a.length)
    if (first < 0 || second < 0) {
      throw new KithError('BAD_INPUT', 'the tokenizer has no template for pairs of texts')
    }
    return {
      before: whole.slice(0, first),
      between: whole.slice(first + a.length, second),
      after: whole.slice(second + b.length),
    }
  }

  /** Tokenizes a text without special tokens, up to a number of tokens. */
  #body(text: string, room: number): Tokens {
    const ids = this.#inPieces ? this.#encodePieces(text, room) : this.#bare(text)
    const cut = ids.length > room
    if (cut) ids.length = room
    return { ids, cut }
  }

  /**
   * Reads up to the limit and at least one token further, to know whether the text was truncated.
   */
  #encodePieces(text: string, room: number): number[] {
    const ids: number[] = []
    for (let from = 0; from < text.length && ids.length <= room; ) {
      const to = endOfPiece(text, from, PIECE, this.#longestPiece)
      for (const id of this.#bare(text.slice(from, to))) ids.push(id)
      from = to
    }
    return ids
  }

  #bare(text: string): number[] {
    try {
      return this.#watch(
        text.length,
        () => this.#tokenizer.encode(text, { add_special_tokens: false }).ids,
      )
    } catch (error) {
      const problem = `cannot tokenize a text: ${(error as Error).message}`
      throw new FileError(this.#file, '', problem)
    }
  }
}

/** Returns the position of a list inside another, from a position on; −1 if it is not inside. */
function placeOf(part: readonly number[], whole: readonly number[], from: number): number {
  return whole.findIndex((_, i) => i >= from && part.every((id, j) => whole[i + j] === id))
}

/** The largest token id; a tokenizer with a larger id is damaged, and would fill the memory. */
const LARGEST = 10_000_000

/**
 * Returns the largest token id in a tokenizer's description. Ids are rows of the model's table, so
 * an id that is not a whole number, or far too large, is an error that names the token.
 */
function largestTokenId(file: string, { model, added_tokens }: JsonObject): number {
  const { vocab, unk_token: unknown, unk_id } = isObject(model) ? model : {}
  // Some models list their tokens in the order of their ids.
  let largest = Array.isArray(vocab) ? checkPieces(file, vocab, unk_id) : 0
  const known = new Set<unknown>()
  const look = (token: unknown, id: unknown): void => {
    if (!Number.isSafeInteger(id) || (id as number) < 0 || (id as number) > LARGEST) {
      const problem = `the id of token ${JSON.stringify(token)} must be a whole number from 0 to ${LARGEST}, got ${JSON.stringify(id)}`
      throw new FileError(file, '', problem)
    }
    known.add(token)
    largest = Math.max(largest, id as number)
  }
  if (isObject(vocab)) for (const [token, id] of Object.entries(vocab)) look(token, id)
  for (const added of Array.isArray(added_tokens) ? added_tokens : []) {
    if (isObject(added)) look(added['content'], added['id'])
  }
  if (isObject(vocab) && typeof unknown === 'string' && !known.has(unknown)) {
    const problem = `unk_token ${JSON.stringify(unknown)} is not in the vocabulary`
    throw new FileError(file, '', problem)
  }
  return largest
}

/**
 * Checks the pieces of a Unigram model, which need log probabilities and an unknown token; returns
 * the largest id.
 */
function checkPieces(file: string, pieces: readonly unknown[], unknown: unknown): number {
  const bad = pieces.findIndex((piece) => {
    return !Array.isArray(piece) || typeof piece[0] !== 'string' || !Number.isFinite(piece[1])
  })
  if (bad >= 0) {
    const problem = `piece ${bad} of the vocabulary must be a text and its log probability, got ${JSON.stringify(pieces[bad])}`
    throw new FileError(file, '', problem)
  }
  if (!Number.isInteger(unknown) || pieces[unknown as number] === undefined) {
    const problem = `unk_id ${JSON.stringify(unknown)} is not in the vocabulary`
    throw new FileError(file, '', problem)
  }
  return pieces.length - 1
}

/** Patterns of published tokenizers that run in linear time on any text. */
const LINEAR = [' {2,}', '\\s+']

/** Time limit in milliseconds per text, and per character: hundreds of times the usual time. */
const FOR_TEXT = 5000
const FOR_CHARACTER = 0.05

/** Runs a function on some characters, within the time limit. */
type Watch = <T>(characters: number, run: () => T) => T

const unwatched: Watch = (_, run) => run()

const call = new Script('run()')
let context: Context | undefined

/**
 * Returns a function that enforces a time limit if a tokenizer's description has regular
 * expressions: some take a time that doubles with each character of a text. V8 stops such a search
 * at the limit.
 */
function watchPatterns({ normalizer, pre_tokenizer }: JsonObject): Watch {
  const found = patternsIn([normalizer, pre_tokenizer]).find((pattern) => !LINEAR.includes(pattern))
  if (found === undefined) return unwatched
  return (characters, run) => {
    const timeout = Math.round(FOR_TEXT + FOR_CHARACTER * characters)
    let result: ReturnType<typeof run> | undefined
    context ??= createContext({})
    context['run'] = () => {
      result = run()
    }
    try {
      call.runInContext(context, { timeout })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const over =
        characters > 0 ? `for ${characters} characters of a text` : 'while the tokenizer was opened'
      const problem = `the patterns, such as ${JSON.stringify(found)}, took longer than ${timeout / 1000} s ${over}`
      throw new Error(problem, { cause: error })
    }
    return result!
  }
}

/** Returns all regular expressions in the steps of a tokenizer. */
function patternsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(patternsIn)
  if (!isObject(value)) return []
  const { Regex, ...others } = value
  return [
    ...(typeof Regex === 'string' ? [Regex] : []),
    ...Object.values(others).flatMap(patternsIn),
  ]
}
