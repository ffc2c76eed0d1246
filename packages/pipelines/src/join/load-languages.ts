import type { Tokenizer } from '@kith/core'
import { loadLanguages as load } from '@kith/core/internal'

/** Loads the package of languages if a tokenizer needs it; worker threads load their own. */
export function loadLanguages(tokenizer: Tokenizer | 'function' | undefined): Promise<void> {
  return load(tokenizer, () => import('@kith/languages'))
}
