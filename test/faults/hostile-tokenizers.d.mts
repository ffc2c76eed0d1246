/** The attacks: a name, the description of the tokenizer, and the text. */
export const hostileTokenizers: {
  name: string
  description: Record<string, unknown>
  text: string
}[]
