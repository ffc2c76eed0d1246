import { KithError } from '../error.ts'
import type { WordRules } from '../kernel/word-counter.ts'
import { plainNames } from './language-names.ts'
import type { TermCounter } from './term-counter.ts'

/**
 * `code` and the tokenizers that languages name. Programs import them, so that a bundle with English
 * alone does not have them.
 */
interface FurtherTokenizers {
  /** The object that counts the terms of texts under a tokenizer. */
  scannerOf(tokenizer: string): { scan(text: string, counter: TermCounter): void }
  /** The rules of a tokenizer that a language names, for the kernel. */
  wordRules(tokenizer: string): WordRules
}

let further: FurtherTokenizers | undefined

export function addTokenizers(tokenizers: FurtherTokenizers): void {
  further = tokenizers
}

/** Returns all further tokenizers; throws if they are not imported, and names the import. */
export function furtherTokenizers(name: string): FurtherTokenizers {
  if (further) return further
  throw notImported(name)
}

/** Whether a tokenizer needs no package but this one. */
export function isOwn(name: string): boolean {
  return name.split('+').every((part) => ['english', 'code', ...plainNames].includes(part))
}

export function notImported(name: string): KithError {
  return new KithError(
    'BAD_SETTING',
    isOwn(name)
      ? `tokenizer '${name}' is not loaded; import '@kith/core/tokenizers' first`
      : `tokenizer '${name}' needs the package @kith/languages; install it and import '@kith/languages' first`,
  )
}
