import type { Tokenizer } from '@huggingface/tokenizers'
import { FileError } from '@kith/ir'
import type { JsonObject } from '../json.ts'
import { openTokenizer } from './open-tokenizer.ts'
import { endOfPiece, splitsAtSpaces } from './pieces.ts'
import { largestTokenId } from './token-ids.ts'

/** Characters of a long text that are looked at in one go. */
const PIECE = 2000

/** The tokens of a text. */
export interface Tokens {
  ids: number[]
  /** Whether the text had more of them than the model takes. */
  cut: boolean
}

/** Turns texts into token ids, with the model's special tokens around them. */
export class TextTokenizer {
  readonly #tokenizer: Tokenizer
  readonly #before: number[]
  readonly #after: number[]
  readonly #inPieces: boolean
  readonly #room: number
  /** The largest id that a text can have. */
  readonly largestId: number

  /**
   * @param file The file that the description comes from, for error messages.
   * @param description The contents of `tokenizer.json`.
   * @param config The contents of `tokenizer_config.json`.
   * @param maxTokens Tokens that a text can have, special ones included.
   */
  constructor(file: string, description: JsonObject, config: JsonObject, maxTokens: number) {
    this.largestId = largestTokenId(file, description)
    try {
      this.#tokenizer = openTokenizer(description, config)
      const bare = this.#bare('a')
      const whole: number[] = this.#tokenizer.encode('a').ids
      const at = whole.findIndex((_, i) => bare.every((id, j) => whole[i + j] === id))
      // Without special tokens an empty text would have none at all.
      if (at < 0 || whole.length === bare.length) throw new Error('no special tokens around a text')
      this.#before = whole.slice(0, at)
      this.#after = whole.slice(at + bare.length)
    } catch (error) {
      throw new FileError(file, '', `is not a tokenizer: ${(error as Error).message}`)
    }
    this.#inPieces = splitsAtSpaces(description)
    this.#room = maxTokens - this.#before.length - this.#after.length
    if (this.#room < 1) {
      throw new FileError(file, '', `${maxTokens} tokens leave no room for a text`)
    }
  }

  /** The tokens of a text, cut at the model's limit. */
  encode(text: string): Tokens {
    const body = this.#inPieces ? this.#encodePieces(text) : this.#bare(text)
    const cut = body.length > this.#room
    if (cut) body.length = this.#room
    return { ids: [...this.#before, ...body, ...this.#after], cut }
  }

  /** Reads to the limit and at least one token further, to know whether the text was cut. */
  #encodePieces(text: string): number[] {
    const ids: number[] = []
    for (let from = 0; from < text.length && ids.length <= this.#room; ) {
      const to = endOfPiece(text, from + PIECE)
      for (const id of this.#bare(text.slice(from, to))) ids.push(id)
      from = to
    }
    return ids
  }

  #bare(text: string): number[] {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids
  }
}
