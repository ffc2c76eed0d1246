/** Languages that need a script's rules only, which all languages share. */
export const plainNames = ['chinese', 'hebrew', 'japanese', 'korean', 'thai', 'vietnamese'] as const

/** The languages of the package `@kith/languages`. */
const stemmedNames = [
  ...['arabic', 'bulgarian', 'danish', 'dutch', 'finnish', 'french', 'german', 'greek'],
  ...['hindi', 'hungarian', 'indonesian', 'italian', 'norwegian'],
  ...['portuguese', 'romanian', 'russian', 'spanish', 'swedish'],
  ...['turkish', 'ukrainian'],
] as const

/** A language other than English that names a tokenizer. */
export type LanguageName = (typeof plainNames)[number] | (typeof stemmedNames)[number]

/** Languages other than English, by name. */
export const languageNames: readonly LanguageName[] = /* @__PURE__ */ [
  ...plainNames,
  ...stemmedNames,
].sort()

/** Returns whether a name is a language, or several languages with + between them. */
export function isLanguageName(name: string): boolean {
  if ((languageNames as readonly string[]).includes(name)) return true
  const parts = name.split('+')
  return (
    parts.length > 1 &&
    new Set(parts).size === parts.length &&
    parts.every((part) => part === 'english' || isLanguageName(part))
  )
}
