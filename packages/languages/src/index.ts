/**
 * Tokenizers for languages other than English. Import this package once, and every function of Kith
 * accepts their names:
 *
 * ```ts
 * import '@kith/languages'
 * import { rerank } from '@kith/core'
 *
 * const { order } = rerank(query, candidates, { tokenizer: 'german' })
 * ```
 */
import { registerLanguages } from '@kith/core/internal'
import { detectTokenizer } from './detect-tokenizer.ts'
import { languages } from './languages.ts'

registerLanguages(languages, detectTokenizer)

export { detectTokenizer } from './detect-tokenizer.ts'
