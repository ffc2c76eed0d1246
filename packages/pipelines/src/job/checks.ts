import { KithError, type Method } from '@kith/core'
import { methods as known } from '@kith/core/internal'

/** The methods that a tuning chooses among; fusion is one of them only if there are texts. */
export function methodsOf({
  methods = ['neighbors'],
  corpus,
}: {
  methods?: readonly string[] | 'all' | undefined
  corpus?: string | undefined
}): readonly Method[] {
  const possible = known.filter((name) => name !== 'fusion' || corpus !== undefined)
  if (methods === 'all') return possible
  for (const name of methods as readonly string[]) {
    if ((possible as readonly string[]).includes(name)) continue
    const why = name === 'fusion' ? ' (fusion needs the texts of documents and queries)' : ''
    throw new KithError(
      'BAD_SETTING',
      `unknown method ${name}; methods: ${possible.join(', ')}${why}`,
    )
  }
  return methods as readonly Method[]
}
