import { type Context, createContext, Script } from 'node:vm'
import { isObject, type JsonObject } from '../json.ts'

/** Patterns of published tokenizers that take a time in proportion to any text. */
const LINEAR = [' {2,}', '\\s+']

/** Milliseconds for any text, and for each of its characters: hundreds of times what they take. */
const FOR_TEXT = 5000
const FOR_CHARACTER = 0.05

/** Runs a function over so many characters. */
export type Watch = <T>(characters: number, run: () => T) => T

const unwatched: Watch = (_, run) => run()

const call = new Script('run()')
let context: Context | undefined

/**
 * A time limit for a tokenizer whose description has regular expressions: some need a time that
 * doubles with each character of a text. V8 ends such a search at the limit, wherever it is.
 */
export function watchPatterns({ normalizer, pre_tokenizer }: JsonObject): Watch {
  const found = patternsIn([normalizer, pre_tokenizer]).find((pattern) => !LINEAR.includes(pattern))
  if (found === undefined) return unwatched
  return (characters, run) => {
    const timeout = Math.round(FOR_TEXT + FOR_CHARACTER * characters)
    let result: ReturnType<typeof run> | undefined
    context ??= createContext({})
    context['run'] = () => {
      result = run()
    }
    try {
      call.runInContext(context, { timeout })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const over = characters > 0 ? `for ${characters} characters of a text` : 'when it was opened'
      const problem = `its patterns, such as ${JSON.stringify(found)}, took longer than ${timeout / 1000} s ${over}`
      throw new Error(problem, { cause: error })
    }
    return result!
  }
}

/** All regular expressions inside of steps. */
function patternsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(patternsIn)
  if (!isObject(value)) return []
  const { Regex, ...others } = value
  return [
    ...(typeof Regex === 'string' ? [Regex] : []),
    ...Object.values(others).flatMap(patternsIn),
  ]
}
