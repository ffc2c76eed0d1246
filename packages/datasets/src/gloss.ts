/**
 * The definition in a gloss: the text before its first quoted example. An example follows a
 * semicolon or a colon; other quotation marks belong to the definition ("the exact words used in
 * a discourse (e.g., "he said ...")").
 */
export function definitionOf(gloss: string): string {
  const example = gloss.search(/[;:]\s*"/)
  return (example < 0 ? gloss : gloss.slice(0, example)).trim()
}

/** Words after which a definition no longer names the kind of a thing, but its differences. */
const differences = new Set(
  (
    'of in on at with without for from by to into onto as that which who whom whose where when ' +
    'while and or but is are was were being under over between among near like than about ' +
    'against during through upon within across after before around along above below behind ' +
    'having used made consisting containing found native usually especially often sometimes'
  ).split(' '),
)

/** The genus phrase of a definition, as words: "a large dog that ..." is a "large dog". */
export function genusOf(definition: string): string[] {
  const phrase = definition
    .toLowerCase()
    .replace(/^(?:\([^)]*\)\s*)+/, '')
    .replace(/^(?:any|one|all) of (?:several|various|numerous|many|the)\s+/, '')
    .replace(/^(?:an?|the|any|one|some|several|various)\s+/, '')
    .split(/[,;:()]/, 1)[0]!
  const words = phrase.split(/\s+/).filter((word) => word !== '')
  const end = words.findIndex((word) => differences.has(word))
  return end < 0 ? words : words.slice(0, end)
}
