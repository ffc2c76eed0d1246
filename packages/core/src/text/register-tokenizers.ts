import { languageRules } from '../kernel/language-rules.ts'
import { addTokenizers, isOwn } from './further-tokenizers.ts'
import { addLanguages, canDetect, isKnown, type Language } from './language.ts'
import { isLanguageName } from './language-names.ts'
import { scannerOf } from './scan-text.ts'
import { isBasic, type Tokenizer, type TokenizerName } from './tokenizer.ts'

/** Makes `code` known, and all languages without stems. */
export function registerTokenizers(): void {
  addTokenizers({ scannerOf, wordRules: languageRules })
}

/** Makes languages known by their names, and a function that finds the tokenizer for texts. */
export function registerLanguages(
  languages: Readonly<Record<string, Language>>,
  detectTokenizer: (texts: Iterable<string>) => TokenizerName,
): void {
  registerTokenizers()
  addLanguages(languages, detectTokenizer)
}

/**
 * Loads the package of languages where a tokenizer needs it: most processes read English, and spare the
 * time.
 *
 * @param load Imports `@kith/languages`, of which this package knows nothing.
 */
export async function loadLanguages(
  tokenizer: Tokenizer | 'function' | undefined,
  load: () => Promise<unknown>,
): Promise<void> {
  if (typeof tokenizer !== 'string' || isBasic(tokenizer)) return
  if (isOwn(tokenizer)) return registerTokenizers()
  const isMissing =
    tokenizer === 'auto'
      ? !canDetect()
      : isLanguageName(tokenizer) && !tokenizer.split('+').every(isKnown)
  if (isMissing) await load()
}
