/** Letters without their accents: é is e, ñ is n. */
export function withoutAccents(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .normalize('NFC')
}

/**
 * German with one spelling of each sound: ß is ss, and ae, oe, ue are umlauts, except where two
 * syllables or a q are what makes them (Bauer, neue, Quelle).
 */
export function germanSpelling(word: string): string {
  return word
    .replaceAll('ß', 'ss')
    .replaceAll('ae', 'ä')
    .replaceAll('oe', 'ö')
    .replace(/(?<![aeq])ue/g, 'ü')
}

/** Romanian with the letters of the stemmer, which writes s and t with a cedilla instead of a comma. */
export function romanianSpelling(word: string): string {
  return word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ')
}

/** Russian as most readers type it, without ё. */
export function russianSpelling(word: string): string {
  return word.replaceAll('ё', 'е')
}
