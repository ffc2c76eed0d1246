/**
 * The tokenizers `code`, `chinese`, `hebrew`, `japanese`, `korean`, `thai` and `vietnamese`. Import
 * this entry once, and every function takes their names:
 *
 * ```ts
 * import '@kith/core/tokenizers'
 *
 * const { order } = rerank(query, candidates, { tokenizer: 'code' })
 * ```
 *
 * Programs that import '@kith/languages' have them already.
 */
import { registerTokenizers } from './text/register-tokenizers.ts'

registerTokenizers()
