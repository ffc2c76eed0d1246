/**
 * Internal: loads this package's languages for Kith's own packages. It may change with any version;
 * programs import `@kith/languages`.
 */
import type { Tokenizer } from '@kith/core'
import { loadLanguages as load } from '@kith/core/internal'

/** Loads the rules of languages if a tokenizer needs them; worker threads load their own. */
export function loadLanguages(tokenizer: Tokenizer | 'function' | undefined): Promise<void> {
  return load(tokenizer, () => import('./index.ts'))
}
