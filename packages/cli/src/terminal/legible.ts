/**
 * A message with the control characters of its ids and file names written out, such as \u0000:
 * a terminal would hide them or obey them. Ends of lines and tabs stay.
 */
export function legible(message: string): string {
  return message.replace(/\p{Cc}/gu, (character) => {
    if (character === '\n' || character === '\t') return character
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
