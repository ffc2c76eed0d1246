import { KithError } from '@kith/core'
import type { Checkpoint } from './model/model.ts'
import { runTexts } from './run-texts.ts'
import type { SessionPool } from './session-pool.ts'

/** How texts are scored. */
export interface CrossEncodeOptions {
  /** Called with the number of texts done. */
  onProgress?: ((done: number) => void) | undefined
  /** Stops the work, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** The scores of some texts for a query. */
export interface CrossEncoded {
  /**
   * One number per text, in the order of the texts: the model's raw output (logit), before any
   * sigmoid. Larger is more relevant; numbers of different models cannot be compared.
   */
  scores: Float32Array
  /** Texts that were longer than the model takes beside the query, and were cut. */
  cut: number
}

/** A model that reads a query and a text together and scores how well they go together. Close it when it is done. */
export class CrossEncoder {
  readonly name: string
  /** Tokens of a pair, special ones included; texts are cut there. */
  readonly maxTokens: number
  readonly #model: Checkpoint
  readonly #pool: SessionPool

  /** @internal Use `loadCrossEncoder`. */
  constructor(model: Checkpoint, pool: SessionPool) {
    this.name = model.files.name
    this.maxTokens = model.maxTokens
    this.#model = model
    this.#pool = pool
  }

  /** Scores each text for a query. A score depends on its query and text alone. */
  async crossEncode(
    query: string,
    texts: readonly string[],
    { signal, onProgress }: CrossEncodeOptions = {},
  ): Promise<CrossEncoded> {
    checkText('the query', query)
    const pair = this.#model.tokenizer.pairsWith(query)
    const tokens = texts.map((text, i) => {
      checkText(`text ${i}`, text)
      return pair(text)
    })
    const hasTypes = this.#model.config.tokenTypes > 1
    let done = 0
    const scores = await runTexts(
      this.#pool,
      tokens.map(({ ids, types }) => (hasTypes ? { ids, types } : { ids })),
      {
        width: 1,
        name: this.name,
        signal,
        onTexts: (count) => {
          done += count
          onProgress?.(done)
        },
      },
    )
    return { scores, cut: tokens.filter(({ cut }) => cut).length }
  }

  /** Ends the sessions; texts that are not scored yet fail. Resolves when their processes are gone. */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function checkText(what: string, text: unknown): void {
  if (typeof text === 'string') return
  throw new KithError('BAD_INPUT', `${what} is ${typeof text}, expected a string`)
}
