import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FileError } from '@kith/base'
import { isObject, readJson } from '../json.ts'

/** Whether a text is a query or a document: some models want another prefix before each. */
export type Role = 'query' | 'document'

/** The prefix of each text, by its role. */
export type Prefixes = Record<Role, string>

/** The file of sentence-transformers that has the prefixes. */
export const PROMPTS_FILE = 'config_sentence_transformers.json'

/** The names of a role's prompt, the first that a model has counts. */
const names: Record<Role, readonly string[]> = {
  query: ['query'],
  document: ['document', 'passage', 'corpus'],
}

/** The prefixes in sentence-transformers' file: the prompts of queries and documents, else the default one. */
export async function readPrefixes(root: string): Promise<Prefixes> {
  const file = join(root, PROMPTS_FILE)
  const config = existsSync(file) ? await readJson(file) : {}
  const { default_prompt_name: usual } = config
  const prompts = config['prompts'] ?? {}
  const texts = isObject(prompts) ? prompts : undefined
  if (!texts || !Object.values(texts).every((text) => typeof text === 'string')) {
    throw new FileError(file, '', 'expected prompts to be texts by name')
  }
  const prefixOf = (role: Role): string => {
    const name = [...names[role], usual].find((name) => {
      return typeof name === 'string' && Object.hasOwn(texts, name)
    })
    return name === undefined ? '' : String(texts[name as string])
  }
  return { query: prefixOf('query'), document: prefixOf('document') }
}
