/** A text cut to a number of characters, with a sign that it was. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  // Cut between characters, not within a pair of surrogates.
  const cut = text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')
  return `${cut}…`
}
