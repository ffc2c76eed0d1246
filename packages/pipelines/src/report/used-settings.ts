type Named = Readonly<Record<string, unknown>>

/** Settings of the graph of neighbors. */
const graph = ['k', 'kExp', 'trust', 'overlap', 'weight', 'weightParameter', 'rowScaling']
/** Settings of the mix `words`, which needs texts. */
const words = ['bm25Weight', 'k1', 'b', 'preselect']
const support = ['neighborWeight', 'supportDocs', 'supportWeight']
/** What texts bring with them. */
const texts = ['tokenizer', 'views', 'statistics']

/** The settings that only some methods take, by method. */
const own: Readonly<Record<string, readonly string[]>> = {
  neighbors: [...graph, 'mix', 'lambda', ...words, ...support, ...texts],
  fusion: ['mix', 'rowScaling', ...words, ...texts],
  'neighbor-rrf': [...graph, 'neighborRrfK', ...texts],
  rocchio: ['feedbackDocs', 'feedbackWeight'],
}
const ofSome: ReadonlySet<string> = new Set(Object.values(own).flat())

/**
 * The settings that had a part in a ranking: those of its method and of its mix. A sidecar has all
 * of them, and a reader would take the others for what made the difference.
 */
export function usedSettings(settings: Named): Named {
  const ofMethod = own[String(settings['method'])]
  if (!ofMethod) return settings
  const idle = new Set(idleSettings(settings))
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([name]) => !idle.has(name) && (ofMethod.includes(name) || !ofSome.has(name)),
    ),
  )
}

/** Settings that other settings switch off. */
function idleSettings(settings: Named): string[] {
  const byWords = settings['mix'] === 'words' && settings['texts'] === true
  return [
    ...(byWords ? ['lambda'] : [...words, ...support]),
    ...(settings['texts'] === true ? [] : texts),
    ...(settings['weight'] === 'exp' ? [] : ['weightParameter']),
    ...(settings['trust'] === 0 ? ['overlap'] : []),
    ...(settings['bm25Weight'] === 0 ? ['k1', 'b'] : []),
    ...(settings['supportWeight'] === 0 ? ['supportDocs'] : []),
    ...(settings['missing'] === 'error' ? ['missing'] : []),
  ]
}
