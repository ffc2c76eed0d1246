import { type Command, common, type Options } from '../options/command.ts'

/** The words that may follow the name of a command. */
export interface Words {
  /** The name, of one word or two. */
  name: string
  summary: string
  /** Words that stand right behind it: second words of commands, or the choices of an argument. */
  next: string[]
  options: Options
}

/** The words of every command, and of first words that are no command alone. */
export function wordsOf(commands: readonly Command[]): Words[] {
  const behind = (first: string): Command[] =>
    commands.filter(({ name }) => name.startsWith(`${first} `))
  const nextOf = (first: string): string[] =>
    behind(first).map(({ name }) => name.slice(first.length + 1))
  const whole = commands.map(({ name, summary, options, rest }): Words => {
    const choices = rest?.value.includes('|') ? rest.value.split('|') : []
    return {
      ...{ name, summary, next: [...nextOf(name), ...choices] },
      options: { ...options, ...common },
    }
  })
  const names = new Set(whole.map(({ name }) => name))
  const firsts = new Set([...names].map((name) => name.split(' ')[0]!))
  const parts = [...firsts]
    .filter((name) => !names.has(name))
    .map(
      (name): Words => ({
        name,
        summary: nextOf(name).join(', '),
        next: nextOf(name),
        options: {},
      }),
    )
  return [...whole, ...parts]
}

/** The commands of two words among them. */
export function twoWords(words: readonly Words[]): string[] {
  return words.map(({ name }) => name).filter((name) => name.includes(' '))
}

/** The words that may follow `kith` itself. */
export function firstWords(words: readonly Words[]): Words[] {
  return words.filter(({ name }) => !name.includes(' '))
}

/** A text in single quotes, for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
