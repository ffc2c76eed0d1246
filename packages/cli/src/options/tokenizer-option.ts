import type { TokenizerName } from '@kith/core'
import { checkTokenizer, tokenizerNames } from '@kith/core/internal'
import type { Options, Values } from './command.ts'
import { optionalText } from './values.ts'

/** The tokenizer that counts the terms of a corpus. */
export function tokenizerOption(defaultName: string) {
  return {
    tokenizer: {
      value: 'NAME',
      help: `tokenizer: ${tokenizerNames.join(', ')}, code, a language, or auto to detect it from the texts`,
      default: defaultName,
    },
  } satisfies Options
}

/** The tokenizer that the option names. */
export function readTokenizer(
  values: Values<ReturnType<typeof tokenizerOption>>,
): TokenizerName | 'auto' | undefined {
  const name = optionalText(values, 'tokenizer')
  if (name !== undefined) checkTokenizer('tokenizer', name)
  return name as TokenizerName | 'auto' | undefined
}
